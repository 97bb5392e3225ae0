package cockpit

import (
	"cmp"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/plot"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// accountsShown is how many limits a page shows at once.
const accountsShown = 60

// costsBody is what all projects may use and have used.
type costsBody struct {
	Days      int
	Spans     []int // that can be chosen
	Accounts  []accountView
	Untold    int // accounts that are not shown
	CostPlot  template.HTML
	TokenPlot template.HTML
	Projects  []share
	Total     share
	ByDay     []dayView // the newest first, those without any left out
}

// share is what one of several has used.
type share struct {
	Key   string // what tells it from the others
	Name  string
	Href  string
	Color string // class of its series; empty if it has none
	Times int    // runs, or attempts
	core.Cost
	Tokens int64
	Bar    template.HTML
}

func (s *share) add(times int, cost core.Cost, tokens int64) {
	s.Times, s.Cost, s.Tokens = s.Times+times, s.Plus(cost), s.Tokens+tokens
}

// dayView is what was used on a day.
type dayView struct {
	Day time.Time
	share
}

func (c *cockpit) costs(r *http.Request) (page, error) {
	body := costsBody{Days: api.DefaultDays, Spans: []int{7, 30, 90, api.MostDays}}
	if days, err := strconv.Atoi(r.URL.Query().Get("days")); err == nil && slices.Contains(body.Spans, days) {
		body.Days = days
	}
	accounts, err := c.svc.Limits(r.Context(), api.LimitsQuery{})
	if err != nil {
		return page{}, err
	}
	body.Untold = max(0, len(accounts)-accountsShown)
	body.Accounts = accountViews(accounts[:len(accounts)-body.Untold])
	spending, err := c.svc.Spending(r.Context(), api.SpendingQuery{Days: body.Days})
	if err != nil {
		return page{}, err
	}
	body.Projects, body.Total = byProject(spending)
	body.plot(spending, c.opts.Now().UTC().Truncate(24*time.Hour))
	return page{Name: "costs", Title: "Costs", Nav: "costs", Body: body}, nil
}

// byProject sums what was spent, the dearest project first.
func byProject(spending []api.DaySpending) ([]share, share) {
	sums := map[string]*share{}
	all := share{Name: "All projects"}
	for _, s := range spending {
		sum := sums[s.Project]
		if sum == nil {
			sum = &share{Key: s.Project, Name: s.Name, Href: projectPath(s.Name)}
			sums[s.Project] = sum
		}
		sum.add(s.Runs, s.Cost, s.Tokens)
		all.add(s.Runs, s.Cost, s.Tokens)
	}
	return ranked(sums, true), all
}

// ranked are shares by what they cost, with how they compare. Those that have a
// series of their own in a plot have its colour.
func ranked(sums map[string]*share, colored bool) []share {
	keys := slices.SortedFunc(maps.Keys(sums), func(a, b string) int {
		return cmp.Or(cmp.Compare(sums[b].Known(), sums[a].Known()), cmp.Compare(sums[b].Tokens, sums[a].Tokens), cmp.Compare(a, b))
	})
	list := make([]share, len(keys))
	for i, key := range keys {
		list[i] = *sums[key]
		color := ""
		if colored {
			color = "p" + strconv.Itoa(min(i, plot.Series-1))
			list[i].Color = color
		}
		top := sums[keys[0]]
		if top.Known() > 0 {
			list[i].Bar = plot.Bar(list[i].Known(), top.Known(), color)
		} else {
			list[i].Bar = plot.Bar(float64(list[i].Tokens), float64(top.Tokens), color)
		}
	}
	return list
}

// plot draws a column for each day, of the dearest projects and all others.
func (b *costsBody) plot(spending []api.DaySpending, today time.Time) {
	series := map[string]int{}
	for i, p := range b.Projects {
		series[p.Key] = min(i, plot.Series-1)
	}
	days := make([]dayView, b.Days)
	cost, tokens := make([]plot.Column, b.Days), make([]plot.Column, b.Days)
	for i := range days {
		days[i].Day = today.AddDate(0, 0, i+1-b.Days)
		name := days[i].Day.Format("2 Jan")
		cost[i] = plot.Column{Name: name, Parts: make([]float64, plot.Series)}
		tokens[i] = plot.Column{Name: name, Parts: make([]float64, plot.Series)}
	}
	for _, s := range spending {
		i := b.Days - 1 - int(today.Sub(s.Day).Hours()/24)
		if i < 0 || i >= b.Days {
			continue
		}
		days[i].add(s.Runs, s.Cost, s.Tokens)
		cost[i].Parts[series[s.Project]] += s.Known()
		tokens[i].Parts[series[s.Project]] += float64(s.Tokens)
	}
	for i, d := range days {
		cost[i].Title, tokens[i].Title = cost[i].Name+": "+wording.Cost(d.Cost), tokens[i].Name+": "+wording.Amount(d.Tokens)+" tokens"
		cost[i].More = d.Unpriced > 0
		if d.Times > 0 {
			b.ByDay = append(b.ByDay, d)
		}
	}
	slices.Reverse(b.ByDay)
	span := "of the last " + strconv.Itoa(b.Days) + " days, by the day runs started"
	b.CostPlot = plot.Columns(plot.Stack{Title: "Cost " + span + ": " + wording.Cost(b.Total.Cost) + " in all", Label: dollarTick, Columns: cost})
	b.TokenPlot = plot.Columns(plot.Stack{Title: "Tokens " + span + ": " + wording.Amount(b.Total.Tokens) + " in all", Label: countTick, Columns: tokens})
}
