package storetest

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// spending is a step of a run of project p that has used so much, under a limit.
func spending(id string, share core.Spent, limits core.ProjectLimits) func(*store.Commit) {
	return func(c *store.Commit) {
		c.Run = &store.RunRow{
			ID: id, Project: "p", Status: "active", StartedAt: moment(0), UpdatedAt: moment(0),
			CostUSD: share.CostUSD, Tokens: share.Tokens, Attempts: share.Attempts, Unpriced: share.Unpriced,
			Limited: limits != (core.ProjectLimits{}), Worked: share.Worked, HeldUSD: share.HeldUSD, HeldTokens: share.HeldTokens,
		}
		c.Budget = &store.Budget{Project: "p", Run: id, Share: share, At: moment(0), Intent: core.Intent{Works: true, Starts: true, Reserves: true}, Limits: limits}
		c.Spends = true
	}
}

func wantSpent(t *testing.T, err error, others core.Spent) {
	t.Helper()
	var spent *store.BudgetSpent
	if !errors.As(err, &spent) || spent.Others != others || spent.Project != "p" {
		t.Fatalf("got %v (%+v), want a budget of which others have spent %+v", err, spent, others)
	}
}

func testBudget(t *testing.T, open Open) {
	s := open(t)
	limits := core.ProjectLimits{CostUSD: 10, Tokens: 1000, Attempts: 5}
	a := core.Spent{CostUSD: 6, Tokens: 600, Attempts: 3, Working: 1, Unpriced: 2}
	push(t, s, "run/a", spending("a", a, limits))
	push(t, s, "run/q", func(c *store.Commit) { // another project's
		c.Run = &store.RunRow{ID: "q", Project: "q", Status: "active", StartedAt: moment(0), UpdatedAt: moment(0), CostUSD: 100}
	})
	over := []core.Spent{{CostUSD: 4}, {Tokens: 400}, {Attempts: 3}}
	for _, share := range over {
		events, _ := seal(t, s, "run/b", core.Head{}, tick(1))
		c := store.Commit{Stream: "run/b", Events: events}
		spending("b", share, limits)(&c)
		wantSpent(t, s.Commit(t.Context(), c), a)
		if head, err := s.Head(t.Context(), "run/b"); err != nil || head.Seq != 0 {
			t.Fatalf("a refused step left %+v, %v", head, err)
		}
	}
	within := core.Spent{CostUSD: 3.5, Tokens: 399, Attempts: 2, Working: 1, Unpriced: 1}
	push(t, s, "run/b", spending("b", within, limits))
	for except, want := range map[string]core.Spent{"a": within, "b": a, "": a.Add(within)} {
		if got, err := s.Spent(t.Context(), "p", except, moment(0)); err != nil || got != want {
			t.Errorf("without %q: %+v, %v, want %+v", except, got, err, want)
		}
	}
	// Its own earlier use counts once, and a run without limits is held to none.
	push(t, s, "run/b", spending("b", within, limits))
	push(t, s, "run/b", spending("b", core.Spent{CostUSD: 50}, core.ProjectLimits{}))
}

// testBudgetTime: a run that is active works on after its last step, one that
// waits or has ended does not.
func testBudgetTime(t *testing.T, open Open) {
	s := open(t)
	row := func(id string, status core.RunStatus, updated int, worked time.Duration) {
		push(t, s, "run/"+id, func(c *store.Commit) {
			c.Run = &store.RunRow{ID: id, Project: "p", Status: status, StartedAt: moment(0), UpdatedAt: moment(updated), Worked: worked}
		})
	}
	row("a", "active", 10, 4*time.Minute)
	row("b", "paused", 10, 3*time.Minute)
	row("c", "completed", 10, 90*time.Second)
	others := func(minutes int) core.Spent {
		return core.Spent{Worked: time.Duration(minutes)*time.Minute + 30*time.Second, Working: 1}
	}
	for at, minutes := range map[int]int{9: 8, 10: 8, 11: 9, 30: 28} {
		if got, err := s.Spent(t.Context(), "p", "d", moment(at)); err != nil || got != others(minutes) {
			t.Errorf("at %d: %+v, %v, want %+v", at, got, err, others(minutes))
		}
	}
	limits := core.ProjectLimits{WallTime: 20 * time.Minute}
	step := func(at int, share time.Duration) store.Commit {
		events, _ := seal(t, s, "run/d", core.Head{}, tick(1))
		return store.Commit{Stream: "run/d", Events: events, Budget: &store.Budget{
			Project: "p", Run: "d", Share: core.Spent{Worked: share, Working: 1}, At: moment(at), Intent: core.Intent{Works: true}, Limits: limits,
		}}
	}
	err := s.Commit(t.Context(), step(16, 5*time.Minute+30*time.Second))
	wantSpent(t, err, others(14))
	var spent *store.BudgetSpent
	if errors.As(err, &spent); !spent.At.Equal(moment(16)) {
		t.Errorf("spent by %s, want %s", spent.At, moment(16))
	}
	if err := s.Commit(t.Context(), step(16, 5*time.Minute)); err != nil {
		t.Errorf("with time left: %v", err)
	}
	row("a", "completed", 12, 6*time.Minute)
	if got, err := s.Spent(t.Context(), "p", "d", moment(50)); err != nil || got.Working != 0 || got.Worked != 10*time.Minute+30*time.Second {
		t.Errorf("once all have stopped: %+v, %v", got, err)
	}
}

func testBudgetHints(t *testing.T, open Open) {
	s := open(t)
	limits := core.ProjectLimits{CostUSD: 10}
	for _, id := range []string{"a", "b", "c"} {
		push(t, s, "run/"+id, spending(id, core.Spent{}, limits))
	}
	push(t, s, "run/free", spending("free", core.Spent{}, core.ProjectLimits{}))
	push(t, s, "run/c", func(c *store.Commit) {
		c.Run = &store.RunRow{ID: "c", Project: "p", Status: "paused", StartedAt: moment(0), UpdatedAt: moment(0), Limited: true}
	})
	push(t, s, "run/q", func(c *store.Commit) {
		c.Run = &store.RunRow{ID: "q", Project: "q", Status: "active", StartedAt: moment(0), UpdatedAt: moment(0), Limited: true}
	})
	for _, w := range claim(t, s, "e", waittest.Limit) {
		rest(t, s, "e", w)
	}
	drain(s)
	hinted := func() string {
		streams := map[string]bool{}
		for _, w := range claim(t, s, "e", waittest.Limit) {
			streams[w.Stream] = true
			rest(t, s, "e", w)
		}
		return fmt.Sprint(streams)
	}
	push(t, s, "run/a", spending("a", core.Spent{CostUSD: 1}, limits))
	wantSignal(t, s, "after a run has spent")
	if got := hinted(); got != "map[run/a:true run/b:true]" {
		t.Errorf("hinted: %v, want the run itself and the other active one of its project that is held to limits", got)
	}
	push(t, s, "run/a", spending("a", core.Spent{CostUSD: 1}, limits), func(c *store.Commit) { c.Spends = false })
	if got := hinted(); got != "map[run/a:true]" {
		t.Errorf("hinted by a step that spends nothing: %v", got)
	}
	push(t, s, "run/a", func(c *store.Commit) { c.Spends = true })
	if got := hinted(); got != "map[run/a:true]" {
		t.Errorf("hinted by a step that says of no run what it spent: %v", got)
	}
	// One that has no limits has others stop, and one that is given limits hears of it.
	push(t, s, "run/b", spending("b", core.Spent{}, core.ProjectLimits{}))
	push(t, s, "run/free", spending("free", core.Spent{}, limits))
	hinted()
	push(t, s, "run/b", spending("b", core.Spent{CostUSD: 1}, core.ProjectLimits{}))
	if got := hinted(); got != "map[run/a:true run/b:true run/free:true]" {
		t.Errorf("hinted: %v, want those that are held to limits now", got)
	}
}

// testBudgetRace has many runs take the last of a project's attempts at once.
func testBudgetRace(t *testing.T, open Open) {
	stores := []store.Store{open(t), open(t)}
	const limit = 4
	outcome := make(chan error, 24)
	for i := range cap(outcome) {
		go func() {
			id := fmt.Sprint("r", i)
			c := store.Commit{Stream: "run/" + id}
			spending(id, core.Spent{Attempts: 1}, core.ProjectLimits{Attempts: limit})(&c)
			outcome <- stores[i%2].Commit(t.Context(), c)
		}()
	}
	won := 0
	for range cap(outcome) {
		var spent *store.BudgetSpent
		switch err := <-outcome; {
		case err == nil:
			won++
		case !errors.As(err, &spent):
			t.Errorf("got %v, want a budget that is spent", err)
		}
	}
	if all, err := stores[0].Spent(t.Context(), "p", "", moment(0)); err != nil || won != limit || all.Attempts != limit {
		t.Errorf("%d won, %+v spent (%v), want %d", won, all, err, limit)
	}
}

// testBudgetHeld: what attempts of other runs hold cannot be reserved, and keeps
// nobody from going on. It is free once their run says so.
func testBudgetHeld(t *testing.T, open Open) {
	s := open(t)
	limits := core.ProjectLimits{CostUSD: 10, Tokens: 1000}
	a := core.Spent{CostUSD: 1, Tokens: 100, HeldUSD: 7, HeldTokens: 500, Working: 1}
	push(t, s, "run/a", spending("a", a, limits))
	push(t, s, "run/a", spending("a", a, limits), func(c *store.Commit) { c.Run.Status = "paused" }) // its attempts go on
	a.Working = 0
	step := func(share core.Spent, does core.Intent) error {
		head, err := s.Head(t.Context(), "run/b")
		if err != nil {
			t.Fatal(err)
		}
		events, _ := seal(t, s, "run/b", head, tick(1))
		c := store.Commit{Stream: "run/b", After: head.Seq, Events: events}
		spending("b", share, limits)(&c)
		c.Budget.Intent = does
		return s.Commit(t.Context(), c)
	}
	for _, share := range []core.Spent{{HeldUSD: 2.000000001}, {CostUSD: 1, HeldUSD: 1.1}, {HeldTokens: 401}, {Tokens: 1, HeldTokens: 400}} {
		wantSpent(t, step(share, core.Intent{Works: true, Reserves: true}), a)
		wantSpent(t, step(share, core.Intent{Reserves: true}), a)
		if err := step(share, core.Intent{Works: true, Starts: true}); err != nil {
			t.Errorf("a step that reserves nothing, with %+v: %v", share, err)
		}
	}
	all := core.Spent{CostUSD: 0.5, HeldUSD: 1.5, Tokens: 150, HeldTokens: 250}
	if err := step(all, core.Intent{Works: true, Reserves: true}); err != nil {
		t.Errorf("all that is left: %v", err)
	}
	if got, err := s.Spent(t.Context(), "p", "", moment(0)); err != nil || got.HeldUSD != 8.5 || got.HeldTokens != 750 {
		t.Errorf("held is %+v, %v", got, err)
	}
	if row, err := s.Run(t.Context(), "b"); err != nil || row.HeldUSD != 1.5 || row.HeldTokens != 250 {
		t.Errorf("the run's row is %+v, %v", row, err)
	}
	push(t, s, "run/a", spending("a", core.Spent{CostUSD: 2, Tokens: 100}, limits))
	if err := step(core.Spent{CostUSD: 0.5, HeldUSD: 7.5}, core.Intent{Works: true, Reserves: true}); err != nil {
		t.Errorf("what was given back: %v", err)
	}
}

// testBudgetReserveRace has many runs reserve at once what is enough for few.
func testBudgetReserveRace(t *testing.T, open Open) {
	stores := []store.Store{open(t), open(t)}
	const portion, limit = 0.3, 1.0
	outcome := make(chan error, 24)
	for i := range cap(outcome) {
		go func() {
			id := fmt.Sprint("r", i)
			c := store.Commit{Stream: "run/" + id}
			spending(id, core.Spent{HeldUSD: portion}, core.ProjectLimits{CostUSD: limit})(&c)
			outcome <- stores[i%2].Commit(t.Context(), c)
		}()
	}
	won := 0
	for range cap(outcome) {
		var spent *store.BudgetSpent
		switch err := <-outcome; {
		case err == nil:
			won++
		case !errors.As(err, &spent):
			t.Errorf("got %v, want a budget that is spent", err)
		}
	}
	all, err := stores[0].Spent(t.Context(), "p", "", moment(0))
	if err != nil || won != 3 || all.HeldUSD < 0.89 || all.HeldUSD > limit {
		t.Errorf("%d won, %+v held (%v), want 3 portions of %v within %v", won, all, err, portion, limit)
	}
}
