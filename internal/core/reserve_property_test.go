package core_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
)

// guild is a project of several runs whose attempts have brokers, and a store
// that commits a step of a run only where the project's limits allow it.
type guild struct {
	t      *rapid.T
	runs   []*core.Run
	limits core.Limits
	purses map[string]*purse // by run and attempt
	now    time.Time
}

// purse is what a broker knows: what it may spend, and what it spent.
type purse struct {
	grant, spent core.Amount
	seq, told    int64       // of the newest want, and of the one that the grant answers
	keeps        core.Amount // from the want returned on
	returned     int64
}

// limit is what the broker lets be spent: what it gave back it keeps to, until an
// answer comes that knows of it.
func (p *purse) limit() core.Amount {
	if p.told >= p.returned {
		return p.grant
	}
	return core.Amount{USD: min(p.grant.USD, p.keeps.USD), Tokens: min(p.grant.Tokens, p.keeps.Tokens)}
}

// want asks for so much more than was spent.
func (p *purse) want(a *core.Attempt, more core.Amount) core.UsageObserved {
	w := &core.Want{Seq: p.seq, Amount: core.Amount{USD: p.spent.USD + more.USD, Tokens: p.spent.Tokens + more.Tokens}}
	if p.returned > a.Answered {
		keeps := p.keeps
		w.Keeps = &keeps
	}
	return core.UsageObserved{Attempt: a.ID, Metered: &core.Usage{CostUSD: p.spent.USD, OutputTokens: p.spent.Tokens}, Wants: w}
}

// step is a step of the engine.
func (g *guild) step(i int, actor core.Actor, body core.Body) error {
	r := g.runs[i]
	var told *core.ProjectSpent
	for range 5 {
		next, reserves, err := g.build(r, actor, body, told)
		if err != nil {
			return err
		}
		others := core.Spent{}
		for j, other := range g.runs {
			if j != i && other != nil {
				others = others.Add(other.Share())
			}
		}
		active := next.Status == core.StatusActive
		if (active || reserves) && !next.Limits.Project.Allows(others.Add(next.Share()), core.Intent{Works: active, Reserves: reserves}) {
			told = &core.ProjectSpent{Others: others, At: g.now}
			continue
		}
		g.runs[i] = next
		return nil
	}
	g.t.Fatalf("run %d was told what the others have, and did not settle for what is left", i)
	return nil
}

func (g *guild) build(r *core.Run, actor core.Actor, body core.Body, told *core.ProjectSpent) (*core.Run, bool, error) {
	next, head, reserves := r.Clone(), core.Head{}, false
	if r != nil {
		head = r.Stream
	}
	cause := ""
	add := func(actor core.Actor, body core.Body) error {
		if err := core.Law(next, actor, body); err != nil {
			return err
		}
		e, h, err := core.Seal("run/r", head, g.now, actor, cause, body)
		if err != nil {
			return err
		}
		if head = h; cause == "" {
			cause = e.ID
		}
		next, err = core.Fold(next, e)
		answer, asked := body.(core.AllowanceReserved)
		_, starts := body.(core.AttemptRequested)
		reserves = reserves || asked && !answer.Refused || starts
		return err
	}
	if err := add(actor, body); err != nil {
		return nil, false, err
	}
	if told != nil {
		if err := add(core.Engine(), *told); err != nil {
			return nil, false, err
		}
	}
	for range 64 {
		bodies := core.Decide(next, phases.Decider{})
		if len(bodies) == 0 {
			return next, reserves, nil
		}
		for _, b := range bodies {
			if err := add(core.ActorFor(next, phases.Decider{}, b), b); err != nil {
				g.t.Fatalf("%s was decided: %v", core.TypeOf(b), err)
			}
		}
	}
	g.t.Fatal("the decider does not come to rest")
	return nil, false, nil
}

// tell hands the brokers what was reserved for them: after the commit, or not at
// all where the engine dies before.
func (g *guild) tell(i int) {
	for _, a := range g.runs[i].Active() {
		if p := g.purse(i, a.ID); a.Reserved != nil {
			p.grant, p.told = *a.Reserved, a.Answered
		}
	}
}

func (g *guild) purse(i int, attempt string) *purse {
	key := fmt.Sprintf("%d %s", i, attempt)
	if g.purses[key] == nil {
		g.purses[key] = &purse{}
	}
	return g.purses[key]
}

// check: whatever the brokers do with what they were told, no limit is passed.
func (g *guild) check() {
	var all core.Amount
	for i, r := range g.runs {
		var own core.Amount
		for key, p := range g.purses {
			var run int
			var attempt string
			if _, err := fmt.Sscanf(key, "%d %s", &run, &attempt); err != nil {
				g.t.Fatal(err)
			}
			if run != i {
				continue
			}
			worst := p.spent
			if _, _, a := r.Attempt(attempt); a != nil && a.Status.Active() {
				most := p.limit()
				worst = core.Amount{USD: max(most.USD, p.spent.USD), Tokens: max(most.Tokens, p.spent.Tokens)}
			}
			g.within(key, worst, r.Limits.Attempt.CostUSD, r.Limits.Attempt.Tokens)
			own.USD, own.Tokens = own.USD+worst.USD, own.Tokens+worst.Tokens
		}
		g.within(fmt.Sprint("run ", i), own, r.Limits.CostUSD, r.Limits.Tokens)
		all.USD, all.Tokens = all.USD+own.USD, all.Tokens+own.Tokens
	}
	g.within("the project", all, g.limits.Project.CostUSD, g.limits.Project.Tokens)
}

func (g *guild) within(who string, a core.Amount, usd float64, tokens int64) {
	if usd > 0 && a.USD > usd+1e-6 || tokens > 0 && a.Tokens > tokens {
		g.t.Fatalf("%s can spend %+v of $%f and %d tokens", who, a, usd, tokens)
	}
}

// TestNothingIsSpentThatIsNotReserved has runs of a project, each with several
// attempts, want, spend, end and die at random.
func TestNothingIsSpentThatIsNotReserved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := core.DefaultLimits()
		l.CostUSD = rapid.SampledFrom([]float64{0, 1, 7.77}).Draw(t, "cost")
		l.Tokens = rapid.SampledFrom([]int64{0, 10, 5000}).Draw(t, "tokens")
		l.Attempt.CostUSD = rapid.SampledFrom([]float64{0, 0.4, 3}).Draw(t, "attempt's cost")
		l.Attempt.Tokens = rapid.SampledFrom([]int64{0, 7, 2000}).Draw(t, "attempt's tokens")
		l.Project.CostUSD = rapid.SampledFrom([]float64{0, 1.1, 10}).Draw(t, "project cost")
		l.Project.Tokens = rapid.SampledFrom([]int64{0, 17, 6000}).Draw(t, "project tokens")
		g := &guild{t: t, runs: make([]*core.Run, 2), limits: l, purses: map[string]*purse{}, now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
		team := core.Phase{ID: "a", Role: "dev", Writes: core.WritesArtifacts, Gate: core.GateAuto, Attempts: 3, Team: &core.Team{Spokes: []string{"critic", "dev"}, Hub: "dev"}}
		for i := range g.runs {
			id := fmt.Sprint("r", i)
			err := g.step(i, core.Person("me"), core.RunStarted{
				Run: id, Alias: id, Project: "p", Base: "main", BaseCommit: "c0", Branch: "feature/" + id, Limits: l,
				Playbook: core.Playbook{Kind: "phases", Roles: map[string]core.Role{"dev": {Name: "dev"}, "critic": {Name: "critic"}}, Phases: []core.Phase{team}},
			})
			if err != nil {
				t.Fatal(err)
			}
			g.tell(i)
		}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			g.happen(rapid.IntRange(0, len(g.runs)-1).Draw(t, "run"))
			g.check()
		}
		g.settle()
	})
}

// happen is something that a broker does, or that happens to it.
func (g *guild) happen(i int) {
	r := g.runs[i]
	g.now = g.now.Add(time.Minute)
	active := r.Active()
	if len(active) == 0 {
		raised := r.Limits
		if raised.CostUSD > 0 && rapid.Bool().Draw(g.t, "raise") {
			raised.CostUSD *= 2
		}
		g.try(i, core.Person("me"), core.RunResumed{Limits: &raised}) // unless the law has it wait
		g.tell(i)
		return
	}
	a := rapid.SampledFrom(active).Draw(g.t, "attempt")
	p := g.purse(i, a.ID)
	switch rapid.SampledFrom([]string{"start", "want", "want", "spend", "spend", "return", "end", "restart"}).Draw(g.t, "what") {
	case "start":
		g.try(i, core.Engine(), core.AttemptStarted{Attempt: a.ID, Brokered: true})
	case "want":
		p.seq++
		g.try(i, core.Engine(), p.want(a, core.Amount{USD: rapid.Float64Range(0, 5).Draw(g.t, "usd"), Tokens: rapid.Int64Range(0, 3000).Draw(g.t, "more")}))
		if rapid.IntRange(0, 3).Draw(g.t, "engine dies") > 0 {
			g.tell(i)
		}
	case "spend":
		if money, _ := g.limits.Limited(); money {
			p.spent.USD += max(p.limit().USD-p.spent.USD, 0) * rapid.SampledFrom([]float64{0.1, 0.5, 1}).Draw(g.t, "part")
		}
		if _, tokens := g.limits.Limited(); tokens {
			p.spent.Tokens += rapid.Int64Range(0, max(p.limit().Tokens-p.spent.Tokens, 0)).Draw(g.t, "spent")
		}
	case "return":
		g.giveBack(i, a)
	case "end":
		g.end(i, a, rapid.SampledFrom([]core.ExitKind{core.ExitFinished, core.ExitFailed, core.ExitLost}).Draw(g.t, "exit"))
	case "restart":
		g.tell(i)
	}
}

// giveBack has a broker give back a part of what it has not spent. The engine may hear of it,
// and die before it says so; or hear of it with a later want only.
func (g *guild) giveBack(i int, a *core.Attempt) {
	p := g.purse(i, a.ID)
	had, part := p.limit(), rapid.SampledFrom([]float64{0, 0.5}).Draw(g.t, "kept")
	p.keeps = core.Amount{
		USD:    core.SumUSD(p.spent.USD, max(had.USD-p.spent.USD, 0)*part),
		Tokens: p.spent.Tokens + int64(float64(max(had.Tokens-p.spent.Tokens, 0))*part),
	}
	p.seq++
	p.returned = p.seq
	heard := rapid.IntRange(0, 2).Draw(g.t, "heard")
	if heard == 0 {
		return
	}
	g.try(i, core.Engine(), p.want(a, core.Amount{USD: core.SumUSD(p.keeps.USD, -p.spent.USD), Tokens: p.keeps.Tokens - p.spent.Tokens}))
	if _, _, now := g.runs[i].Attempt(a.ID); now.Answered == p.seq && (now.Reserved.USD > p.keeps.USD+1e-9 || now.Reserved.Tokens > p.keeps.Tokens) {
		g.t.Fatalf("after it gave something back and kept %+v, it has %+v", p.keeps, now.Reserved)
	}
	if heard == 1 {
		g.tell(i)
	}
}

func (g *guild) try(i int, actor core.Actor, body core.Body) {
	if err := g.step(i, actor, body); err != nil && core.CodeOf(err) != core.CodeConflict && core.CodeOf(err) != core.CodeUnlawful {
		g.t.Fatal(err)
	}
}

// end has an attempt end that lies about what it used.
func (g *guild) end(i int, a *core.Attempt, kind core.ExitKind) {
	p := g.purse(i, a.ID)
	metered := core.Usage{CostUSD: p.spent.USD, OutputTokens: p.spent.Tokens}
	if err := g.step(i, core.Engine(), core.AttemptExited{Attempt: a.ID, Kind: kind, Usage: core.Usage{CostUSD: 1000}, Metered: &metered}); err != nil {
		g.t.Fatal(err)
	}
}

// settle ends all: what the runs have on record is what was spent, and nothing is
// held any more.
func (g *guild) settle() {
	var spent, recorded core.Spent
	for i := range g.runs {
		g.try(i, core.Person("me"), core.RunCancelled{})
		for _, a := range g.runs[i].Active() {
			g.end(i, a, core.ExitCancelled)
		}
		recorded = recorded.Add(g.runs[i].Share())
	}
	for _, p := range g.purses {
		spent.CostUSD, spent.Tokens = spent.CostUSD+p.spent.USD, spent.Tokens+p.spent.Tokens
	}
	if recorded.HeldUSD != 0 || recorded.HeldTokens != 0 || recorded.Tokens != spent.Tokens || math.Abs(recorded.CostUSD-spent.CostUSD) > 1e-6 {
		g.t.Fatalf("on record is %+v, spent was %+v", recorded, spent)
	}
}
