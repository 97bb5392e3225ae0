package service

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/find"
	"github.com/stellwerk-dev/stellwerk/internal/show"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Limits implements api.Service.
func (a *Service) Limits(ctx context.Context, q api.LimitsQuery) ([]api.Account, error) {
	used, here, err := a.slots(ctx)
	if err != nil {
		return nil, err
	}
	settings, err := config.OfPerson(nil)
	if err != nil {
		return nil, err
	}
	accounts := []api.Account{{Scope: api.ScopeEngine, Allowances: []api.Allowance{allowance(api.LimitParallel, here, settings.Parallel.V)}}}
	projects, only, err := a.accountable(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, p := range projects {
		of, err := a.projectAccounts(ctx, p, only, used)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, of...)
	}
	return accounts, nil
}

// slots counts the attempts at work by run, and those that have a slot of this machine.
func (a *Service) slots(ctx context.Context) (used map[string]int, here int, err error) {
	slots, err := a.store.Slots(ctx, "")
	used = map[string]int{}
	for _, s := range slots {
		if s.Held && s.Pools[0].Key == core.AttemptSlots(a.engine.Place()) {
			here++
		}
		if s.Held && core.PoolKind(s.Pools[0].Key) == "attempts" {
			_, run := core.StreamKind(s.Stream)
			used[run]++
		}
	}
	return used, here, err
}

// accountable are the projects that a question is about, and the one run where
// it is about that only.
func (a *Service) accountable(ctx context.Context, q api.LimitsQuery) (projects []string, only *core.Run, err error) {
	if q.Of != "" {
		return a.named(ctx, q.Of)
	}
	if q.Dir == "" {
		return a.busyProjects(ctx)
	}
	repo, err := yard.Locate(ctx, q.Dir)
	if err == nil {
		id := a.find.ProjectID(repo.CommonDir)
		_, err := a.store.Project(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return nil, nil, nil
		}
		return []string{id}, nil, err
	}
	if !errors.Is(err, yard.ErrNotRepository) && !errors.Is(err, yard.ErrNoCommits) {
		return nil, nil, find.LocateError(q.Dir, err)
	}
	return a.busyProjects(ctx)
}

// busyProjects are those with a run that is not over.
func (a *Service) busyProjects(ctx context.Context) (projects []string, only *core.Run, err error) {
	open, err := a.store.Runs(ctx, store.Filter{Open: true})
	for _, r := range open {
		if !slices.Contains(projects, r.Project) {
			projects = append(projects, r.Project)
		}
	}
	return projects, nil, err
}

// named finds a project by id or name, or a run.
func (a *Service) named(ctx context.Context, name string) (projects []string, only *core.Run, err error) {
	rows, err := a.store.Projects(ctx, maxProjects)
	if err != nil {
		return nil, nil, err
	}
	for _, p := range rows {
		if p.ID == name || p.Name == name {
			projects = append(projects, p.ID)
		}
	}
	if len(projects) > 0 {
		return projects, nil, nil
	}
	run, err := a.find.Run(ctx, name)
	if core.CodeOf(err) == core.CodeNotFound {
		return nil, nil, core.Errorf(core.CodeNotFound, "there is no run or project %q", name).
			Offer(core.Choice{Verb: core.VerbRuns}, core.Choice{Verb: core.VerbProjects})
	}
	if err != nil {
		return nil, nil, err
	}
	return []string{run.Project}, run, nil
}

// projectAccounts are those of a project and of its open runs, or of the one
// run that is asked for.
func (a *Service) projectAccounts(ctx context.Context, id string, only *core.Run, used map[string]int) ([]api.Account, error) {
	runs, err := a.holding(ctx, id)
	if err != nil {
		return nil, err
	}
	name, err := a.find.ProjectName(ctx, id)
	if err != nil {
		return nil, err
	}
	now, err := a.store.Now(ctx)
	if err != nil {
		return nil, err
	}
	spent, err := a.store.Spent(ctx, id, "", now)
	if err != nil {
		return nil, err
	}
	totals, err := a.store.RunTotals(ctx, id)
	if err != nil {
		return nil, err
	}
	limits, busy := strictest(runs), 0
	for _, r := range runs {
		busy += used[r.ID]
	}
	accounts := []api.Account{{Scope: api.ScopeProject, ID: id, Name: name, Allowances: []api.Allowance{
		money(core.CostOf(spent.CostUSD, totals.Unpriced), limits.CostUSD, spent.HeldUSD), reserved(allowance(api.LimitTokens, spent.Tokens, limits.Tokens), float64(spent.HeldTokens)),
		allowance(api.LimitWallTime, spent.Worked.Seconds(), limits.WallTime.Seconds()),
		allowance(api.LimitAttempts, spent.Attempts, limits.Attempts), allowance(api.LimitParallel, busy, limits.Parallel),
	}}}
	if only != nil {
		return append(accounts, runAccount(only, now, used[only.ID])), nil
	}
	for _, r := range runs {
		if !r.Status.Terminal() {
			accounts = append(accounts, runAccount(r, now, used[r.ID]))
		}
	}
	return accounts, nil
}

// holding are the runs whose limits hold for their project: the open ones, or
// else the newest. A run that is over may still have an attempt that is being
// stopped; those count among the engine's slots only. What limits a run has that
// cannot be read nobody knows.
func (a *Service) holding(ctx context.Context, project string) ([]*core.Run, error) {
	rows, err := a.store.Runs(ctx, store.Filter{Project: project, Open: true})
	if err == nil && len(rows) == 0 {
		rows, err = a.store.Runs(ctx, store.Filter{Project: project, Limit: 1})
	}
	if err != nil {
		return nil, err
	}
	runs := make([]*core.Run, 0, len(rows))
	for _, row := range rows {
		run, err := a.engine.Load(ctx, row.ID)
		if unreadable(ctx, err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// strictest is what stops the first of the runs.
func strictest(runs []*core.Run) core.ProjectLimits {
	var l core.ProjectLimits
	for _, r := range runs {
		p := r.Limits.Project
		l.CostUSD, l.Tokens = stricter(l.CostUSD, p.CostUSD), stricter(l.Tokens, p.Tokens)
		l.WallTime = stricter(l.WallTime, p.WallTime)
		l.Attempts, l.Parallel = stricter(l.Attempts, p.Attempts), stricter(l.Parallel, p.Parallel)
	}
	return l
}

// stricter compares limits of which zero means none.
func stricter[T int | int64 | float64 | time.Duration](a, b T) T {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

func runAccount(r *core.Run, now time.Time, slots int) api.Account {
	if r.Status != core.StatusActive { // its time stands still
		now = r.WaitsSince
	}
	held := r.Share()
	a := api.Account{Scope: api.ScopeRun, ID: r.ID, Name: r.Alias, Status: r.Status, Opaque: show.Opaque(r), Allowances: []api.Allowance{
		money(r.Cost(), r.Limits.CostUSD, held.HeldUSD), reserved(allowance(api.LimitTokens, r.Usage.Tokens(), r.Limits.Tokens), float64(held.HeldTokens)),
		allowance(api.LimitWallTime, max(now.Sub(r.ClockFrom), 0).Seconds(), r.Limits.WallTime.Seconds()),
		allowance(api.LimitAttempts, r.Attempts, 0), allowance(api.LimitParallel, slots, r.Limits.AtOnce()),
	}}
	a.Allowances = append(a.Allowances, perAttempt(r)...)
	return a
}

// perAttempt is what the attempt that has used most has used of the limits of each.
func perAttempt(r *core.Run) []api.Allowance {
	limits := r.Limits.Attempt
	usd, tokens := 0.0, int64(0)
	for _, a := range r.Active() {
		u := a.Used()
		usd, tokens = max(usd, u.CostUSD), max(tokens, u.Tokens())
	}
	var list []api.Allowance
	if limits.CostUSD > 0 {
		a := money(core.CostOf(usd, 0), limits.CostUSD, 0)
		a.Kind = api.LimitAttemptCost
		list = append(list, a)
	}
	if limits.Tokens > 0 {
		list = append(list, allowance(api.LimitAttemptTokens, tokens, limits.Tokens))
	}
	return list
}

// allowance is what was used of a limit, and what is left; a limit of zero is
// none.
func allowance[T int | int64 | float64](kind string, used, limit T) api.Allowance {
	n := float64(used)
	a := api.Allowance{Kind: kind, Used: &n}
	if limit > 0 {
		bound, left := float64(limit), float64(max(limit-used, 0))
		a.Limit, a.Left = &bound, &left
	}
	return a
}

// reserved takes off what is left what attempts under way hold of it.
func reserved(a api.Allowance, held float64) api.Allowance {
	if a.Left != nil {
		left := max(*a.Left-held, 0)
		a.Left = &left
	}
	a.Reserved = held
	return a
}

// money is what was used of a limit of cost. What nobody told cannot be taken off.
func money(spent core.Cost, limit, held float64) api.Allowance {
	a := allowance(api.LimitCost, spent.Known(), limit)
	if a.Left != nil {
		left := max(core.SumUSD(limit, -spent.Known(), -held), 0)
		a.Left = &left
	}
	a.Reserved = held
	a.Used, a.Unpriced = spent.CostUSD, spent.Unpriced
	return a
}
