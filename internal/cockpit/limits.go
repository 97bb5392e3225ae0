package cockpit

import (
	"fmt"
	"html/template"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/plot"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// accountView is what the engine, a project or a run may use.
type accountView struct {
	api.Account
	Title string
	Href  string // "" for the engine
	Uses  []useView
}

// useView is what was used of something, and what is left.
type useView struct {
	Kind  string
	What  string
	Used  string
	Limit string
	Left  string
	Spent bool // nothing is left
	Bar   template.HTML
}

// accountViews are the accounts that limit something.
func accountViews(accounts []api.Account) []accountView {
	var views []accountView
	for _, a := range accounts {
		v := accountView{Account: a}
		switch a.Scope {
		case api.ScopeEngine:
			v.Title = "The engine"
		case api.ScopeProject:
			v.Title, v.Href = "Project "+clip(60, a.Name), projectPath(a.Name)
		default:
			v.Title, v.Href = "Run "+clip(60, a.Name), runPath(a.Name)+"/costs"
		}
		for _, al := range a.Allowances {
			if al.Limit != nil {
				v.Uses = append(v.Uses, use(al, *al.Limit))
			}
		}
		if len(v.Uses) > 0 || len(a.Opaque) > 0 {
			views = append(views, v)
		}
	}
	return views
}

// canBeRaised reports a limit that is reached and that a number raises. A run gets its
// working time anew whenever it is resumed.
func (a accountView) canBeRaised(u useView) bool {
	if u.Kind == api.LimitAttemptCost || u.Kind == api.LimitAttemptTokens { // `retry` does, once the attempt has failed
		return false
	}
	return u.Spent && (a.Scope != api.ScopeRun || u.Kind != api.LimitWallTime)
}

func use(a api.Allowance, limit float64) useView {
	what, say := wording.Limit(a.Kind)
	v := useView{Kind: a.Kind, What: sentence(what), Used: say(a.Amount()), Limit: say(limit)}
	if a.Kind == api.LimitCost { // agents may have said only a part of it
		v.Used = wording.Cost(a.Cost())
	}
	left := max(0, limit-a.Amount())
	if a.Left != nil {
		left = *a.Left
	}
	v.Left, v.Spent = say(left), left <= 0 && a.Kind != api.LimitParallel
	class := "s-passed"
	switch share := a.Amount() / max(limit, math.SmallestNonzeroFloat64); {
	case a.Kind == api.LimitParallel:
		class = "s-plain"
	case v.Spent || share >= 1:
		class = "s-failed"
	case share >= 0.8:
		class = "s-under"
	}
	v.Bar = plot.Bar(a.Amount(), limit, class)
	return v
}

// raise lets a paused run go on within higher limits. A field that is left empty
// leaves its limit as it is.
func (c *cockpit) raise(r *http.Request) (string, error) {
	var req api.Resume
	err := readLimits(r.PostForm, []limitField{
		{"cost", 1e12, false, func(v float64) { req.MaxCostUSD = v }},
		{"tokens", 1e12, true, func(v float64) { req.MaxTokens = int64(v) }},
		{"project_cost", 1e12, false, func(v float64) { req.MaxProjectCostUSD = v }},
		{"project_tokens", 1e12, true, func(v float64) { req.MaxProjectTokens = int64(v) }},
		{"project_hours", 1e6, false, func(v float64) { req.MaxProjectTime = time.Duration(v * float64(time.Hour)) }},
		{"project_attempts", math.MaxInt32, true, func(v float64) { req.MaxProjectAttempts = int(v) }},
	})
	if err != nil {
		return "", err
	}
	if req == (api.Resume{}) {
		return "", core.Errorf(core.CodeInvalid, "no limit given").WithHint("write at least one number, or resume the run as it is")
	}
	run, err := c.svc.Resume(r.Context(), r.PathValue("run"), req)
	if err != nil {
		return "", fmt.Errorf("raise the limits: %w", err)
	}
	return runPath(run.Alias) + "/costs", nil
}

// limitField is a field of a form that holds a limit, above 0 and up to most.
type limitField struct {
	name  string
	most  float64
	whole bool
	set   func(float64)
}

// readLimits sets the limits of the fields that are not empty.
func readLimits(form url.Values, fields []limitField) error {
	for _, f := range fields {
		given := strings.TrimPrefix(strings.TrimSpace(form.Get(f.name)), "$")
		if given == "" {
			continue
		}
		v, err := strconv.ParseFloat(given, 64)
		if err != nil || !(v > 0 && v <= f.most) || f.whole && v != math.Trunc(v) {
			return core.Errorf(core.CodeInvalid, "%s: %.40q is not a limit", strings.ReplaceAll(f.name, "_", " "), given).
				WithHint("write a number above 0, or leave the field empty")
		}
		f.set(v)
	}
	return nil
}
