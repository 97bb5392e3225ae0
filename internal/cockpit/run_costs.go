package cockpit

import (
	"fmt"
	"html/template"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/plot"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// attemptsShown is how many attempts the table lists.
const attemptsShown = 100

// runCostsBody is what a run may use and has used.
type runCostsBody struct {
	api.RunDetail
	Accounts  []accountView
	Stopped   bool // the run is paused, and a limit is reached that can be raised
	CostPlot  template.HTML
	TokenPlot template.HTML
	Groups    []group
	Attempts  []attemptShare // the newest first
	More      int            // attempts that are not shown
}

// group is the spending of a run, sorted by something.
type group struct {
	By     string
	Shares []share
}

// attemptShare is an attempt with the page about it.
type attemptShare struct {
	api.AttemptSpending
	Href string
}

func (c *cockpit) runCosts(r *http.Request, d api.RunDetail) (page, error) {
	accounts, err := c.svc.Limits(r.Context(), api.LimitsQuery{Of: d.ID})
	if err != nil {
		return page{}, err
	}
	attempts, err := c.svc.RunSpending(r.Context(), d.ID)
	if err != nil {
		return page{}, err
	}
	body := runCostsBody{RunDetail: d}
	for _, a := range accountViews(accounts) {
		if a.Scope == api.ScopeEngine {
			continue
		}
		a.Title, a.Href = "This run", ""
		if a.Scope == api.ScopeProject {
			a.Title, a.Href = "Its project", projectPath(a.Name)
		}
		body.Accounts = append(body.Accounts, a)
		body.Stopped = body.Stopped || d.Status == "paused" && slices.ContainsFunc(a.Uses, a.canBeRaised)
	}
	body.plot(attempts, accounts, c.opts.Now())
	body.Groups = groups(d, attempts)
	body.More = max(0, len(attempts)-attemptsShown)
	for _, a := range slices.Backward(attempts[body.More:]) {
		body.Attempts = append(body.Attempts, attemptShare{a, taskPath(d.Alias, a.Task)})
	}
	return page{Name: "runcosts", Title: "Costs", Body: body}, nil
}

// plot draws what was used over time, with the run's own limits.
func (b *runCostsBody) plot(attempts []api.AttemptSpending, accounts []api.Account, now time.Time) {
	from, to := b.StartedAt, now
	if b.EndedAt != nil {
		to = *b.EndedAt
	}
	ended := slices.SortedFunc(slices.Values(attempts), func(x, y api.AttemptSpending) int { return x.At.Compare(y.At) })
	cost, tokens := make([]plot.Point, len(ended)), make([]plot.Point, len(ended))
	spent, tokenSum := core.CostOf(0, 0), 0.0
	for i, a := range ended {
		spent = spent.Plus(a.Cost())
		tokenSum += float64(a.Usage.Tokens())
		cost[i], tokens[i] = plot.Point{At: a.At, Value: spent.Known()}, plot.Point{At: a.At, Value: tokenSum}
	}
	costLimit, tokenLimit := limitOf(accounts, api.LimitCost), limitOf(accounts, api.LimitTokens)
	b.CostPlot = plot.Steps(plot.Line{
		Title: "Cost over time: " + wording.Cost(spent) + " so far", Label: dollarTick, From: from, To: to, Points: cost,
		Limit: costLimit, LimitAs: "limit " + wording.Money(costLimit), Note: unsaid(spent.Unpriced),
	})
	b.TokenPlot = plot.Steps(plot.Line{
		Title: "Tokens over time: " + wording.Amount(int64(tokenSum)) + " so far", Label: countTick, From: from, To: to, Points: tokens,
		Limit: tokenLimit, LimitAs: "limit " + wording.Amount(int64(tokenLimit)),
	})
}

// unsaid says how many attempts a plot of costs leaves out.
func unsaid(attempts int) string {
	if attempts == 0 {
		return ""
	}
	return "without " + wording.Number(attempts, "attempt", "attempts") + " that reported none"
}

// limitOf is a limit of the run itself; 0 if it has none.
func limitOf(accounts []api.Account, kind string) float64 {
	for _, a := range accounts {
		for _, al := range a.Allowances {
			if a.Scope == api.ScopeRun && al.Kind == kind && al.Limit != nil {
				return *al.Limit
			}
		}
	}
	return 0
}

// groups sorts a run's spending by role, agent and stage.
func groups(d api.RunDetail, attempts []api.AttemptSpending) []group {
	const most = 25
	var list []group
	for _, by := range []struct {
		name string
		of   func(api.AttemptSpending) string
	}{
		{"role", func(a api.AttemptSpending) string { return a.Role }},
		{"agent", func(a api.AttemptSpending) string { return a.Agent }},
		{"stage", func(a api.AttemptSpending) string { return workOf(d.Stages, a.Stage).Title }},
	} {
		sums := map[string]*share{}
		for _, a := range attempts {
			name := by.of(a)
			if sums[name] == nil {
				sums[name] = &share{Name: name}
			}
			sums[name].add(1, a.Cost(), a.Usage.Tokens())
		}
		shares := ranked(sums, false)
		if n := len(shares); n > most {
			rest := share{Name: fmt.Sprintf("%d others", n-most+1)}
			for _, s := range shares[most-1:] {
				rest.add(s.Times, s.Cost, s.Tokens)
			}
			shares = append(shares[:most-1], rest)
		}
		list = append(list, group{By: by.name, Shares: shares})
	}
	return list
}

// dollarTick and countTick say the round values of an axis.
func dollarTick(v float64) string {
	switch {
	case v == 0:
		return "$0"
	case v < 0.01:
		return fmt.Sprintf("$%.2g", v)
	case v < 1 || v < 10 && v != math.Trunc(v):
		return fmt.Sprintf("$%.2f", v)
	}
	return fmt.Sprintf("$%.4g", v)
}

func countTick(v float64) string {
	switch {
	case v < 1000:
		return fmt.Sprintf("%.3g", v)
	case v < 1e6:
		return fmt.Sprintf("%.3g k", v/1e3)
	}
	return fmt.Sprintf("%.3g M", v/1e6)
}
