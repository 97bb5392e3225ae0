package cockpit

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// epicForm is what a person typed, word for word.
type epicForm struct {
	Goal, Title, Issue, Playbook, Base, Isolation string
	Attempts, Hours, Cost, Tokens                 string
	Coverage, Tier                                string
	Yes, Designer                                 bool
}

// Particular reports that something was chosen of what is folded away.
func (f epicForm) Particular() bool {
	return f.Attempts+f.Hours+f.Cost+f.Tokens+f.Isolation+f.Coverage+f.Tier != "" || f.Designer
}

func readEpic(f url.Values) epicForm {
	field := func(name string) string { return strings.TrimSpace(f.Get(name)) }
	return epicForm{
		Goal: f.Get("goal"), Title: field("title"), Issue: field("issue"), Playbook: field("playbook"), Base: field("base"), Isolation: field("isolation"),
		Attempts: field("attempts"), Hours: field("hours"), Cost: field("cost"), Tokens: field("tokens"),
		Coverage: field("coverage"), Tier: field("tier"), Yes: f.Has("yes"), Designer: f.Has("designer"),
	}
}

// request is what the engine is asked for. What was left empty is left to the
// engine's settings: saying it would take more rights than leaving it out.
func (f epicForm) request(project string) (api.StartRun, error) {
	req := api.StartRun{
		Project: project, Goal: strings.TrimSpace(strings.ReplaceAll(f.Goal, "\r\n", "\n")), Title: f.Title, Issue: f.Issue, Playbook: f.Playbook,
		Base: f.Base, Isolation: f.Isolation, Yes: f.Yes,
		Options: core.Options{ModelTier: core.Tier(f.Tier), UIDesigner: f.Designer},
	}
	if req.Goal == "" {
		return req, core.Errorf(core.CodeInvalid, "the goal is empty").WithHint("say in a few sentences what is to be different when it is done")
	}
	if f.Coverage != "" {
		n, err := strconv.Atoi(f.Coverage)
		if err != nil || n < 1 || n > 100 {
			return req, core.Errorf(core.CodeInvalid, "coverage: %.40q is not a percentage from 1 to 100", f.Coverage)
		}
		req.Options.Coverage = n
	}
	limits, err := f.limits()
	if limits != (core.Limits{}) {
		req.Limits = &limits
	}
	return req, err
}

func (f epicForm) limits() (core.Limits, error) {
	l := core.Limits{}
	for _, field := range []struct {
		name, text string
		most       float64
		set        func(float64)
	}{
		{"attempts", f.Attempts, 100, func(n float64) { l.Attempts = int(n) }},
		{"hours", f.Hours, 10_000, func(n float64) { l.WallTime = time.Duration(n * float64(time.Hour)) }},
		{"cost", f.Cost, 1e6, func(n float64) { l.CostUSD = n }},
		{"tokens", f.Tokens, 1e12, func(n float64) { l.Tokens = int64(n) }},
	} {
		if field.text == "" {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimPrefix(field.text, "$"), 64)
		whole := field.name == "hours" || field.name == "cost" || n == float64(int64(n))
		if err != nil || !(n > 0 && n <= field.most) || !whole {
			return l, core.Errorf(core.CodeInvalid, "%s: %.40q is not a number above 0 that can be a limit", field.name, field.text).
				WithHint("leave it empty for what the settings say")
		}
		field.set(n)
	}
	return l, nil
}
