package engine_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// interrupted is a store in which something happens right before an event of a
// type is committed, after it was judged.
type interrupted struct {
	store.Store
	at        core.Type
	meanwhile func()
	done      atomic.Bool
}

func (i *interrupted) Commit(ctx context.Context, c store.Commit) error {
	if len(c.Events) > 0 && c.Events[0].Type == i.at && !i.done.Swap(true) {
		i.meanwhile()
	}
	return i.Store.Commit(ctx, c)
}

// shop is project p, with an engine that looks at nothing by itself.
func shop(t *testing.T, wrap func(store.Store) store.Store) *bench {
	t.Helper()
	b := newBench(t)
	b.close()
	b.wrap = wrap
	b.rest()
	if err := b.register("p", "shop"); err != nil {
		t.Fatal(err)
	}
	return b
}

// word records a person's word about project p.
func (b *bench) word(body core.Body) {
	b.t.Helper()
	if err := b.engine.Record(b.t.Context(), "p", core.Person("ada"), body); err != nil {
		b.t.Error(err)
	}
}

func (b *bench) tend() {
	b.t.Helper()
	if err := b.engine.Tend(b.t.Context(), "p"); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) status(run string) core.RunStatus {
	b.t.Helper()
	r, err := b.engine.Load(b.t.Context(), run)
	if core.CodeOf(err) == core.CodeNotFound {
		return ""
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return r.Status
}

// TestOfTwoWordsOneCountsFirst: whatever is said about a project between the
// moment that a word was judged and the moment that it is committed, the word is
// judged again by that.
func TestOfTwoWordsOneCountsFirst(t *testing.T) {
	begin := func(b *bench, started core.RunStarted) error {
		_, err := b.engine.Submit(b.t.Context(), started.Run, core.Person("me"), started)
		return err
	}
	for name, c := range map[string]struct {
		before    func(*bench)
		at        core.Type
		meanwhile func(*bench)
		say       func(*bench) error
		holds     func(*bench) bool
	}{
		"a run begins, and the project is paused": {
			at: core.TypeRunStarted, meanwhile: func(b *bench) { b.word(core.ProjectPaused{}) },
			say:   func(b *bench) error { return begin(b, start("1", core.DefaultLimits())) },
			holds: func(b *bench) bool { return b.status("1") == "" },
		},
		"a run begins, and the project is archived": {
			at: core.TypeRunStarted, meanwhile: func(b *bench) { b.word(core.ProjectArchived{}) },
			say:   func(b *bench) error { return begin(b, start("1", core.DefaultLimits())) },
			holds: func(b *bench) bool { return b.status("1") == "" },
		},
		"a run begins, and an epic is queued": {
			at: core.TypeRunStarted, meanwhile: func(b *bench) { b.queue(1) },
			say:   func(b *bench) error { return begin(b, drives("1")) },
			holds: func(b *bench) bool { return b.status("1") == "" },
		},
		"the project is archived, and a run begins": {
			at: core.TypeProjectArchived, meanwhile: func(b *bench) { b.submit("1", core.Person("me"), start("1", core.DefaultLimits())) },
			say: func(b *bench) error {
				return b.engine.Record(b.t.Context(), "p", core.Person("ada"), core.ProjectArchived{})
			},
			holds: func(b *bench) bool { p, _ := b.engine.Project(b.t.Context(), "p"); return p.Archived == nil },
		},
		"an epic is dropped, and becomes a run": {
			before: func(b *bench) { b.queue(1) },
			at:     core.TypeEpicDropped, meanwhile: func(b *bench) { b.submit("run-of-epic-1", core.Person("me"), drives("run-of-epic-1")) },
			say: func(b *bench) error {
				return b.engine.Record(b.t.Context(), "p", core.Person("ada"), core.EpicDropped{Epic: "epic-1"})
			},
			holds: func(b *bench) bool { p, _ := b.engine.Project(b.t.Context(), "p"); return len(p.Queue) == 1 },
		},
		"an epic becomes a run, and is dropped": {
			before: func(b *bench) { b.queue(1); b.queue(2) },
			at:     core.TypeRunStarted, meanwhile: func(b *bench) { b.word(core.EpicDropped{Epic: "epic-1"}) },
			say:   func(b *bench) error { return begin(b, drives("run-of-epic-1")) },
			holds: func(b *bench) bool { return b.status("run-of-epic-1") == "" },
		},
		"a run is resumed, and the project is paused": {
			before: func(b *bench) {
				b.submit("1", core.Person("me"), start("1", core.DefaultLimits()))
				b.submit("1", core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "lunch"})
			},
			at: core.TypeRunResumed, meanwhile: func(b *bench) { b.word(core.ProjectPaused{}) },
			say: func(b *bench) error {
				_, err := b.engine.Submit(b.t.Context(), "1", core.Person("me"), core.RunResumed{})
				return err
			},
			holds: func(b *bench) bool { return b.status("1") == core.StatusPaused },
		},
	} {
		t.Run(name, func(t *testing.T) {
			cut := &interrupted{at: c.at}
			b := shop(t, func(s store.Store) store.Store { cut.Store = s; return cut })
			cut.meanwhile = func() { c.meanwhile(b) }
			if c.before != nil {
				cut.done.Store(true)
				c.before(b)
				cut.done.Store(false)
			}
			if err := c.say(b); core.CodeOf(err) != core.CodeConflict || !cut.done.Load() {
				t.Errorf("got %v, want a conflict", err)
			}
			if !c.holds(b) {
				t.Error("the second word counted as well")
			}
		})
	}
}

// TestAPauseThatIsOverPausesNobody: who was about to pause a run with its
// project hears that it goes on.
func TestAPauseThatIsOverPausesNobody(t *testing.T) {
	cut := &interrupted{at: core.TypeRunPaused}
	b := shop(t, func(s store.Store) store.Store { cut.Store = s; return cut })
	cut.meanwhile = func() { b.word(core.ProjectResumed{}) }
	b.submit("1", core.Person("me"), start("1", core.DefaultLimits()))
	b.word(core.ProjectPaused{})
	b.tend()
	if s := b.status("1"); !cut.done.Load() || s != core.StatusActive {
		t.Errorf("the run is %s in a project that goes on", s)
	}
}

// TestTwoStartsAtOnce: of any number of runs that would drive a project one
// does, and the others hear that it is not free.
func TestTwoStartsAtOnce(t *testing.T) {
	b := shop(t, nil)
	outcomes := make(chan error, 8)
	for i := range cap(outcomes) {
		go func() {
			id := fmt.Sprint(i)
			_, err := b.engine.Submit(t.Context(), id, core.Person("me"), drives(id))
			outcomes <- err
		}()
	}
	won := 0
	for range cap(outcomes) {
		switch err := <-outcomes; {
		case err == nil:
			won++
		case !errors.Is(err, core.ErrBusy):
			t.Errorf("got %v, want that the project is not free", err)
		}
	}
	if won != 1 {
		t.Errorf("%d runs drive the project", won)
	}
}

// TestAProjectIsPausedWhileRunsBegin: some begin and are paused with it, the
// others are refused; when it goes on, so do those.
func TestAProjectIsPausedWhileRunsBegin(t *testing.T) {
	b := shop(t, nil)
	begun := make(chan error, 12)
	for i := range cap(begun) {
		go func() {
			id := fmt.Sprint(i)
			_, err := b.engine.Submit(t.Context(), id, core.Person("me"), start(id, core.DefaultLimits()))
			begun <- err
		}()
		if i == cap(begun)/2 {
			b.word(core.ProjectPaused{Reason: "freeze"})
		}
	}
	for range cap(begun) {
		if err := <-begun; err != nil && core.CodeOf(err) != core.CodeConflict {
			t.Errorf("a start: %v", err)
		}
	}
	b.all(core.StatusPaused)
	b.word(core.ProjectResumed{})
	b.all(core.StatusActive)
}

// all tends the project, and holds that every run of it then has a status.
func (b *bench) all(want core.RunStatus) {
	b.t.Helper()
	b.tend()
	rows, err := b.store.Runs(b.t.Context(), store.Filter{Project: "p", Open: true})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, row := range rows {
		if row.Status != want {
			b.t.Errorf("run %s is %s, want %s", row.ID, row.Status, want)
		}
	}
}

// TestAnAnswerDoesNotSetARunGoing: the run waits for an answer in a project that
// was paused, and nobody has paused it with that yet. Whether a person answers or
// the time does, it begins nothing.
func TestAnAnswerDoesNotSetARunGoing(t *testing.T) {
	for name, answer := range map[string]func(*bench, string) *core.Run{
		"a person's": func(b *bench, q string) *core.Run {
			return b.submit("1", core.Person("me"), core.QuestionAnswered{ID: q, Text: "red"})
		},
		"the default": func(b *bench, _ string) *core.Run {
			b.clock.move(2 * time.Hour)
			return b.submit("1", core.Engine(), core.TimerFired{Timer: "due"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := shop(t, nil)
			b.submit("1", core.Person("me"), drives("1"))
			b.submit("1", core.Engine(), core.PlanRead{Plan: core.Plan{Digest: "d", Steps: []core.Step{{ID: "1", Title: "one"}}}})
			b.submit("1", core.Engine(), core.AttemptStarted{Attempt: "manager.r1.a1"})
			q := core.QuestionID("p", "Which colour?")
			b.submit("1", core.Actor{Kind: core.ActorAgent, ID: "manager.r1.a1"}, core.QuestionAsked{ID: q, Text: "Which colour?", Default: "blue", After: time.Hour})
			run := b.submit("1", core.Engine(), core.AttemptExited{Attempt: "manager.r1.a1", Kind: core.ExitFinished, Delivery: &core.Delivery{}})
			if run.Pause == nil || run.Pause.Code != core.PauseQuestion {
				t.Fatalf("%s: %+v", run.Status, run.Pause)
			}
			b.word(core.ProjectPaused{Reason: "freeze"})
			run = answer(b, q)
			if run.Pause == nil || run.Pause.Code != core.PauseProject || len(run.Active()) > 0 || len(run.Answers) != 1 {
				t.Fatalf("%s: %+v, %d attempts, answers %+v", run.Status, run.Pause, len(run.Active()), run.Answers)
			}
			b.word(core.ProjectResumed{})
			b.tend()
			if run, err := b.engine.Load(t.Context(), "1"); err != nil || run.Status != core.StatusActive || len(run.Active()) != 1 {
				t.Errorf("%+v, %v", run, err)
			}
		})
	}
}
