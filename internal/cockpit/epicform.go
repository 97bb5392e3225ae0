package cockpit

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// epicForm is what a person typed, word for word.
type epicForm struct{ url.Values }

func (f epicForm) field(name string) string { return strings.TrimSpace(f.Get(name)) }

// Particular reports that something was chosen of what is folded away.
func (f epicForm) Particular() bool {
	folded := []string{"attempts", "hours", "cost", "tokens", "isolation", "coverage", "tier", "designer"}
	return slices.ContainsFunc(folded, func(name string) bool { return f.field(name) != "" })
}

// request is what the engine is asked for. What was left empty is left to the
// engine's settings: saying it would take more rights than leaving it out.
func (f epicForm) request(project string) (api.StartRun, error) {
	req := api.StartRun{
		Project: project, Goal: plainLines(f.field("goal")), Title: f.field("title"), Issue: f.field("issue"), Playbook: f.field("playbook"),
		Base: f.field("base"), Isolation: f.field("isolation"), Yes: f.Has("yes"),
		Options: core.Options{ModelTier: core.Tier(f.field("tier")), UIDesigner: f.Has("designer")},
	}
	if req.Goal == "" {
		return req, core.Errorf(core.CodeInvalid, "the goal is empty").WithHint("say in a few sentences what should be different afterwards")
	}
	if coverage := f.field("coverage"); coverage != "" {
		n, err := strconv.Atoi(coverage)
		if err != nil || n < 1 || n > 100 {
			return req, core.Errorf(core.CodeInvalid, "coverage: %.40q is not a percentage from 1 to 100", coverage)
		}
		req.Options.Coverage = n
	}
	l := core.Limits{}
	err := readLimits(f.Values, []limitField{
		{"attempts", 100, true, func(n float64) { l.Attempts = int(n) }},
		{"hours", 10_000, false, func(n float64) { l.WallTime = time.Duration(n * float64(time.Hour)) }},
		{"cost", 1e6, false, func(n float64) { l.CostUSD = n }},
		{"tokens", 1e12, true, func(n float64) { l.Tokens = int64(n) }},
	})
	if l != (core.Limits{}) {
		req.Limits = &l
	}
	return req, err
}
