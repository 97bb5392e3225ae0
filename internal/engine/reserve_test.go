package engine_test

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// brokered starts a run whose first attempt has a broker.
func (b *bench) brokered(id string, l core.Limits) {
	b.t.Helper()
	b.submit(id, core.Person("me"), start(id, l))
	b.submit(id, core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1", Brokered: true})
}

// want has the broker of a run's attempt ask for a total, after so much was spent.
func (b *bench) want(id string, seq int64, spent, total float64) (*core.Run, error) {
	return b.engine.Submit(b.t.Context(), id, core.Engine(), core.UsageObserved{
		Attempt: "a.r1.a1", Metered: &core.Usage{CostUSD: spent}, Wants: &core.Want{Seq: seq, Amount: core.Amount{USD: total}},
	})
}

func reservedBy(r *core.Run) float64 {
	_, _, a := r.Attempt("a.r1.a1")
	return a.Reserved.USD
}

// TestRunsReserveOfOneProject: what one run holds another cannot have, until it is settled.
func TestRunsReserveOfOneProject(t *testing.T) {
	b := newBench(t)
	l := projectLimits(core.ProjectLimits{CostUSD: 10})
	b.brokered("r1", l)
	b.brokered("r2", l)
	want := func(id string, seq int64, spent, total, reserved float64) *core.Run {
		t.Helper()
		state, err := b.want(id, seq, spent, total)
		if err != nil || reservedBy(state) != reserved {
			t.Fatalf("%s wants %v: %v, %+v", id, total, err, state)
		}
		return state
	}
	want("r1", 1, 0.4, 7, 7.5)                                                                                     // and a portion
	if state := want("r2", 1, 0.1, 5, 2.5); state.Status != core.StatusActive || state.Others.HeldUSD != 7.5-0.4 { // all that is left
		t.Errorf("r2 is %s and was told %+v", state.Status, state.Others)
	}
	state := want("r2", 2, 2, 5, 2.5)
	_, _, a := state.Attempt("a.r1.a1")
	if state.Status != core.StatusActive || a.Short == nil || !strings.Contains(a.Short.Reason, "have cost $2.40 of its $10.00, and $7.60 more is reserved") {
		t.Fatalf("r2 is %s: %+v", state.Status, a.Short)
	}
	want("r2", 3, 2, 5, 2.5) // it may still not have it
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1), Metered: &core.Usage{CostUSD: 1}})
	want("r2", 4, 2, 5, 5.5)
}

// TestARunGetsWhatAnotherGivesBack while both are at work. Giving back is possible even if the project's money was overspent.
func TestARunGetsWhatAnotherGivesBack(t *testing.T) {
	b := newBench(t)
	l := projectLimits(core.ProjectLimits{CostUSD: 10})
	b.brokered("r1", l)
	b.brokered("r2", l)
	wants := func(id string, spent float64, w core.Want) *core.Attempt {
		t.Helper()
		state := b.submit(id, core.Engine(), core.UsageObserved{Attempt: "a.r1.a1", Metered: &core.Usage{CostUSD: spent}, Wants: &w})
		_, _, a := state.Attempt("a.r1.a1")
		if a.Answered != w.Seq {
			t.Fatalf("%s: want %d was not answered: %+v", id, w.Seq, a)
		}
		return a
	}
	wants("r1", 0.5, core.Want{Seq: 1, Amount: core.Amount{USD: 9.5}})
	if a := wants("r2", 0.5, core.Want{Seq: 1, Amount: core.Amount{USD: 4}}); a.Reserved.USD != 0.5 || a.Short == nil || !a.Short.Held {
		t.Fatalf("while r1 holds it, r2 has %+v and is short for %+v", a.Reserved, a.Short)
	}
	if a := wants("r2", 0.5, core.Want{Seq: 2, Amount: core.Amount{USD: 14}, Least: core.Amount{USD: 9.51}}); a.Short == nil || a.Short.Held {
		t.Fatalf("of what r1 holds, r2 needs more, and is short for %+v", a.Short)
	}
	keeps := core.Amount{USD: 1}
	if a := wants("r1", 0.5, core.Want{Seq: 2, Amount: keeps, Keeps: &keeps}); a.Reserved.USD != 1 {
		t.Fatalf("after it gave back, r1 has %+v", a.Reserved)
	}
	if a := wants("r2", 0.5, core.Want{Seq: 3, Amount: core.Amount{USD: 4}}); a.Reserved.USD != 4.5 || a.Short != nil {
		t.Fatalf("after r1 gave back, r2 has %+v and is short for %+v", a.Reserved, a.Short)
	}
}

// TestReservationsInParallel has runs ask at once, and none get what another has.
func TestReservationsInParallel(t *testing.T) {
	const limit, asks = 10.0, 8
	b := newBench(t)
	ids := []string{"r1", "r2", "r3"}
	for _, id := range ids {
		b.brokered(id, projectLimits(core.ProjectLimits{CostUSD: limit}))
	}
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() {
			for seq := range int64(asks) {
				if _, err := b.want(id, seq+1, 0, float64(i+1)*float64(seq+1)*0.7); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	total := 0.0
	for _, id := range ids {
		total += reservedBy(b.load(id))
	}
	if math.Abs(total-limit) > 1e-9 {
		t.Errorf("$%v is reserved, want all of $%v", total, limit)
	}
	spent, err := b.store.Spent(t.Context(), "p", "", b.load("r1").Now())
	if err != nil || math.Abs(spent.HeldUSD-limit) > 1e-9 {
		t.Errorf("the store has %+v, %v", spent, err)
	}
}

// TestClaimsOfTwoRunsPassALimit: what agents without a broker claim was spent already. It is on record, and stops them.
func TestClaimsOfTwoRunsPassALimit(t *testing.T) {
	b := newBench(t)
	l := projectLimits(core.ProjectLimits{CostUSD: 6, Tokens: 1000})
	claim := func(id string, usd float64) *core.Run {
		t.Helper()
		return b.submit(id, core.Engine(), core.UsageObserved{
			Attempt: "a.r1.a1", Usage: core.Usage{CostUSD: usd, OutputTokens: 100}, Wants: &core.Want{Seq: 1, Amount: core.Amount{USD: usd, Tokens: 100}},
		})
	}
	b.running("r1", l)
	b.running("r2", l)
	if state := claim("r1", 4); state.Status != core.StatusActive || reservedBy(state) != 4.3 {
		t.Fatalf("r1 is %s: %+v", state.Status, state.Pause)
	}
	if state := claim("r2", 4); state.Pause == nil || !state.Pause.Stop || !strings.Contains(state.Pause.Reason, "have cost $8.00 of its $6.00") {
		t.Fatalf("r2 is %s: %+v", state.Status, state.Pause)
	}
	b.recorder.await(t, "the stop of r1", stops("r1"))

	b.running("r3", projectLimits(core.ProjectLimits{CostUSD: 20}))
	b.brokered("r4", projectLimits(core.ProjectLimits{CostUSD: 20}))
	if state, err := b.want("r4", 1, 0, 11); err != nil || reservedBy(state) > 20-8 {
		t.Fatalf("r4 wants: %v", err)
	}
	if state := claim("r3", 2); state.Pause == nil || state.Pause.Stop || !strings.Contains(state.Pause.Reason, "more is reserved") { // less than all is spent
		t.Fatalf("r3 is %s: %+v", state.Status, state.Pause)
	}
	b.recorder.await(t, "the stop of r3", stops("r3"))
	if state := b.load("r4"); state.Status != core.StatusActive {
		t.Errorf("r4 is %s: %+v", state.Status, state.Pause)
	}
}
