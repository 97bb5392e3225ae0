package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/decider/project"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// ended brings a run to its end, with nothing left to do about it.
func (b *bench) ended(id string) {
	b.t.Helper()
	b.running(id, core.DefaultLimits())
	b.submit(id, core.Person("me"), core.RunCancelled{Reason: "Zarzuela"})
	b.submit(id, core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	for _, event := range b.load(id).Tell {
		b.submit(id, core.Engine(), core.PersonNotified{Event: event})
	}
}

func (b *bench) erase(actor core.Actor) (core.ProjectErased, error) {
	return b.engine.Erase(b.t.Context(), "p", actor, "asked for")
}

// whole verifies every chain, and compares erased events with the records.
func (b *bench) whole() core.ErasureCheck {
	b.t.Helper()
	heads, err := b.store.Heads(b.t.Context(), "", 0)
	if err != nil {
		b.t.Fatal(err)
	}
	var check core.ErasureCheck
	for _, h := range heads {
		events, err := b.store.Events(b.t.Context(), h.Stream, 0, 0)
		if err != nil {
			b.t.Fatal(err)
		}
		if end, err := core.VerifyChain(core.Head{}, events); err != nil || end.Hash != h.Hash {
			b.t.Errorf("%s: %v", h.Stream, err)
		}
		for _, e := range events {
			if err := check.Note(e); err != nil {
				b.t.Error(err)
			}
		}
	}
	for _, f := range check.Faults() {
		b.t.Errorf("%s %s", f.Stream, f.Text)
	}
	return check
}

func TestAProjectIsErased(t *testing.T) {
	b := newBench(t)
	b.stop() // nobody but the test has anything happen
	me := core.Person("me")
	if _, err := b.erase(me); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("no project: %v", err)
	}
	if err := b.register("p", "shop"); err != nil {
		t.Fatal(err)
	}
	b.running("r0", core.DefaultLimits())
	if _, err := b.erase(me); core.CodeOf(err) != core.CodeConflict || !strings.Contains(err.Error(), "run r0 of project shop is open") {
		t.Errorf("a run is open: %v", err)
	}
	b.submit("r0", me, core.RunCancelled{})
	b.submit("r0", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	b.ended("r1")
	b.submit("r1", core.Engine(), core.RunSwept{})
	if _, err := b.erase(me); core.CodeOf(err) != core.CodeConflict || !strings.Contains(err.Error(), "run r0 has ended") {
		t.Errorf("a run was not cleaned up after: %v", err)
	}
	b.submit("r0", core.Engine(), core.RunSwept{})
	if _, err := b.erase(core.Actor{Kind: core.ActorAgent}); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("an agent erases: %v", err)
	}

	// Another engine has a run in memory that is over, and says something about it before and after.
	other := engine.New(engine.Options{
		Store: b.store, Journal: &ledger{seqs: map[string]int64{}}, Deciders: []core.Decider{phases.Decider{}}, Log: b.log, ID: "other", Steward: project.Decider{},
	})
	other.SetDispatcher(newRecorder())
	said := core.CommandRefused{Command: "Approve", Reason: "Zarzuela"}
	if _, err := other.Submit(t.Context(), "r1", core.Engine(), said); err != nil {
		t.Fatal(err)
	}
	record, err := b.erase(me)
	if err != nil || len(record.Streams) != 3 || record.Events < 10 {
		t.Fatalf("%+v, %v", record, err)
	}
	if _, err := other.Submit(t.Context(), "r1", core.Engine(), said); !errors.Is(err, core.ErrErased) {
		t.Errorf("an engine that remembers the run says something about it: %v", err)
	}
	if check := b.whole(); check.Events() != record.Events || len(check.Records()) != 1 {
		t.Errorf("%d events are erased, recorded are %+v", check.Events(), check.Records())
	}

	for name, err := range map[string]error{
		"load":     errorOf(b.engine.Load(t.Context(), "r1")),
		"submit":   errorOf(b.engine.Submit(t.Context(), "r1", me, core.RunResumed{})),
		"write up": b.engine.WriteUp(t.Context(), "r1"),
	} {
		if !errors.Is(err, core.ErrErased) || core.CodeOf(err) != core.CodeNotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	seen := 0
	count := func(core.Event) error { seen++; return nil }
	head, err := b.store.Head(t.Context(), "run/r1")
	if err = errors.Join(err, b.engine.Follow(t.Context(), "r1", 0, count), b.engine.Follow(t.Context(), "r1", head.Seq, count)); err != nil || seen == 0 {
		t.Errorf("who follows it sees %d events, and then %v", seen, err)
	}
	if err := errors.Join(b.engine.Own(t.Context(), "p"), b.engine.Tend(t.Context(), "p")); err != nil {
		t.Errorf("the project is tended: %v", err)
	}
	if p, err := b.engine.Project(t.Context(), "p"); p != nil || err != nil {
		t.Errorf("it is still a project: %+v, %v", p, err)
	}
	if _, err := b.engine.Submit(t.Context(), "r2", me, start("r2", core.DefaultLimits())); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a run begins in it: %v", err)
	}
	if _, err := b.erase(me); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("it is erased twice: %v", err)
	}

	// Its repository can be used again, under the same name, and be erased again.
	if err := b.register("p", "shop"); err != nil {
		t.Fatal(err)
	}
	b.ended("r2")
	b.submit("r2", core.Engine(), core.RunSwept{})
	again, err := b.erase(me)
	if err != nil || len(again.Streams) != 2 || again.Events >= record.Events {
		t.Errorf("erased again: %+v, %v", again, err)
	}
	if check := b.whole(); check.Events() != record.Events+again.Events || len(check.Records()) != 2 {
		t.Errorf("%d events are erased, recorded are %+v", check.Events(), check.Records())
	}
}

func errorOf[T any](_ T, err error) error { return err }

// TestErasingHidesNoChange: what somebody changed in the store is not passed off as erased.
func TestErasingHidesNoChange(t *testing.T) {
	b := newBench(t)
	b.stop()
	if err := b.register("p", "shop"); err != nil {
		t.Fatal(err)
	}
	b.ended("r1")
	b.submit("r1", core.Engine(), core.RunSwept{})
	if err := b.store.Close(); err != nil {
		t.Fatal(err)
	}
	b.wrap = func(s store.Store) store.Store { return &changed{Store: s} }
	b.rest()
	if _, err := b.erase(core.Person("me")); core.CodeOf(err) != core.CodeForked {
		t.Errorf("a changed history is erased: %v", err)
	}
	if row, err := b.store.Run(t.Context(), "r1"); err != nil || row.Title == store.ErasedTitle {
		t.Errorf("something was erased: %+v, %v", row, err)
	}
}

// changed is a store in which somebody has changed an event of a run.
type changed struct{ store.Store }

func (c *changed) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	events, err := c.Store.Events(ctx, stream, after, limit)
	for i, e := range events {
		if e.Stream == "run/r1" && e.Seq == 2 {
			events[i].Actor = core.Person("eve")
		}
	}
	return events, err
}
