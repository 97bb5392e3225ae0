package engine_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/decider/project"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// append commits an event as the next release would write it.
func (b *bench) append(stream string, e core.Event) {
	b.t.Helper()
	head, err := b.store.Head(b.t.Context(), stream)
	if err != nil {
		b.t.Fatal(err)
	}
	e.ID, e.Stream, e.Seq = core.EventID(stream, head.Seq+1), stream, head.Seq+1
	e.At, e.PrevHash = head.At, head.Hash
	if e.Actor.Kind == "" {
		e.Actor = core.Engine()
	}
	if err := b.store.Commit(b.t.Context(), store.Commit{Stream: stream, After: head.Seq, Events: []core.Event{e}}); err != nil {
		b.t.Fatal(err)
	}
}

// stand is where streams stand in the store.
func (b *bench) stand(streams []string) []int64 {
	b.t.Helper()
	var all []int64
	for _, s := range streams {
		head, err := b.store.Head(b.t.Context(), s)
		if err != nil {
			b.t.Fatal(err)
		}
		all = append(all, head.Seq)
	}
	return all
}

// foreign are events that this release cannot read.
func foreign() map[string]core.Event {
	body := func(s string) json.RawMessage { return json.RawMessage(s) }
	return map[string]core.Event{
		"type":    {Type: "RunTeleported", V: 1, Body: body(`{"to":"elsewhere"}`)},
		"version": {Type: core.TypeTimerFired, V: 9, Body: body(`{"timer":"t"}`)},
		"field":   {Type: core.TypeTimerFired, V: 1, Body: body(`{"timer":"t","mood":"good"}`)},
	}
}

// lines is a log that can be counted.
type lines struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.all.String()
}

// TestAProjectThatCannotBeReadIsLeftToOthers: an event of a newer release, in a run or in the
// project's own stream, keeps this engine from doing anything in the project. It says so once,
// refuses words, changes nothing, and other projects go on.
func TestAProjectThatCannotBeReadIsLeftToOthers(t *testing.T) {
	for what, event := range foreign() {
		for _, stream := range []string{core.RunStream("r1"), core.ProjectStream("p")} {
			t.Run(what+" in "+stream, func(t *testing.T) { leftToOthers(t, stream, event) })
		}
	}
}

func leftToOthers(t *testing.T, stream string, event core.Event) {
	b := newBench(t)
	if err := errors.Join(b.register("p", "shop"), b.register("q", "farm")); err != nil {
		t.Fatal(err)
	}
	for run, of := range map[string]string{"r1": "p", "r2": "p", "r3": "q"} {
		body := start(run, core.DefaultLimits())
		body.Project = of
		b.submit(run, core.Person("me"), body)
		b.submit(run, core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitNoStart, Message: "no disk"}) // and a timer runs
	}
	b.stop()
	b.append(stream, event)
	streams := []string{core.RunStream("r1"), core.RunStream("r2"), core.ProjectStream("p")}
	before := b.stand(streams)
	if err := b.store.Close(); err != nil {
		t.Fatal(err)
	}
	said := &lines{}
	b.log = slog.New(slog.NewTextHandler(said, nil))
	b.open()
	b.clock.move(2 * time.Second) // the timers of all three are due
	for _, run := range []string{"r2", "r1", "r3"} {
		if err := b.engine.Poke(t.Context(), run); errors.Is(err, core.ErrUnreadable) != (run != "r3") || run == "r3" && err != nil {
			t.Errorf("%s: %v", run, err)
		}
	}
	b.recorder.await(t, "the second attempt of the project that can be read", func(a core.Action) bool {
		s, ok := a.(core.StartAttempt)
		return ok && strings.HasPrefix(s.Event, "run/r3#") && s.Attempt == "a.r1.a2"
	})
	b.refuses()
	newer := store.Engine{ID: "newer", Host: "elsewhere"}
	if _, err := b.store.Enlist(t.Context(), newer, time.Minute); err != nil {
		t.Fatal(err)
	}
	if taken, err := b.store.Take(t.Context(), newer.ID, time.Minute, []string{"p", "q"}); err != nil || len(taken) != 1 || taken[0].Project != "p" {
		t.Errorf("an engine of a newer version can take %+v, %v", taken, err)
	}
	for i := range 5 { // leases run out, and hints come back
		b.clock.move(2 * time.Minute)
		b.submit("r3", core.Person("me"), core.RunPaused{Code: core.PausePerson})
		b.submit("r3", core.Person("me"), core.RunResumed{})
		b.recorder.awaitHanded(t, "r3", 2*i)
	}
	b.stop()
	if now := b.stand(streams); !slices.Equal(now, before) || before[0] == 0 {
		t.Errorf("%s moved from %d to %d", streams, before, now)
	}
	if b.recorder.handed("r1")+b.recorder.handed("r2") > 0 || b.recorder.looked() > 0 {
		t.Errorf("effects were handed out: %d, %d, %d", b.recorder.handed("r1"), b.recorder.handed("r2"), b.recorder.looked())
	}
	if text := said.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "project=shop") || !strings.Contains(text, "needs a newer version") {
		t.Errorf("the engine said:\n%s", text)
	}
}

// refuses says words in the project p, none of which may be heard.
func (b *bench) refuses() {
	b.t.Helper()
	me := core.Person("me")
	words := map[string]func() error{
		"pause": func() error {
			_, err := b.engine.Submit(b.t.Context(), "r1", me, core.RunPaused{Code: core.PausePerson})
			return err
		},
		"cancel a neighbour": func() error { _, err := b.engine.Submit(b.t.Context(), "r2", me, core.RunCancelled{}); return err },
		"an effect's end": func() error {
			_, err := b.engine.Submit(b.t.Context(), "r2", core.Engine(), core.TimerFired{Timer: "t"})
			return err
		},
		"start": func() error {
			_, err := b.engine.Submit(b.t.Context(), "r4", me, start("r4", core.DefaultLimits()))
			return err
		},
		"rename": func() error { return b.engine.Record(b.t.Context(), "p", me, core.ProjectNamed{Name: "store"}) },
		"tend":   func() error { return b.engine.Tend(b.t.Context(), "p") },
	}
	for word, say := range words {
		if err := say(); !errors.Is(err, core.ErrUnreadable) || core.CodeOf(err) != core.CodeUnsupported || core.AdviceOf(err).Hint == "" || !strings.Contains(err.Error(), "needs a newer version of Stellwerk: event ") {
			b.t.Errorf("%s: %v", word, err)
		}
	}
	if why := b.engine.Left("p"); why == nil || !strings.HasPrefix(why.Error(), "project shop needs a newer version of Stellwerk: event ") {
		b.t.Errorf("the project is left because: %v", why)
	}
	if why := b.engine.Left("q"); why != nil {
		b.t.Errorf("the other project is left because: %v", why)
	}
}

// TestARunThatIsOverLeavesItsProjectReadable: nothing is to be done about it.
func TestARunThatIsOverLeavesItsProjectReadable(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	b.submit("r2", core.Person("me"), start("r2", core.DefaultLimits()))
	b.submit("r1", core.Person("me"), core.RunCancelled{})
	b.stop()
	b.append(core.RunStream("r1"), foreign()["type"])
	e := b.with(engine.Options{Deciders: []core.Decider{phases.Decider{}}, Steward: project.Decider{}})
	if _, err := e.Load(t.Context(), "r1"); !errors.Is(err, core.ErrUnreadable) {
		t.Errorf("the run that is over: %v", err)
	}
	if _, err := e.Submit(t.Context(), "r2", core.Person("me"), core.RunPaused{Code: core.PausePerson}); err != nil {
		t.Errorf("the other run: %v", err)
	}
}

// TestAnUnknownKindOfPlaybookIsLeftToOthers: nobody here can decide in such a run.
func TestAnUnknownKindOfPlaybookIsLeftToOthers(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	b.stop()
	if err := b.with(engine.Options{}).Poke(t.Context(), "r1"); !errors.Is(err, core.ErrUnreadable) || !strings.Contains(err.Error(), `unknown kind of playbook "phases"`) {
		t.Errorf("got %v", err)
	}
}

// fuller is a store whose snapshots say something that this release does not know.
type fuller struct{ store.Store }

func (f fuller) Snapshot(ctx context.Context, stream string) (store.Snapshot, error) {
	snap, err := f.Store.Snapshot(ctx, stream)
	snap.State = []byte(`{"id":"r1","alias":"wrong","mood":"good"}`)
	return snap, err
}

// TestASnapshotWithMoreInItIsNotRead: it would be half understood.
func TestASnapshotWithMoreInItIsNotRead(t *testing.T) {
	b := newBench(t)
	before := b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	for range 7 { // past a snapshot
		before = b.submit("r1", core.Engine(), core.TimerFired{Timer: "t"})
	}
	b.stop()
	e := b.on(fuller{b.store}, engine.Options{Deciders: []core.Decider{phases.Decider{}}})
	if after, err := e.Load(t.Context(), "r1"); err != nil || after.Alias != "r1" || after.Stream != before.Stream {
		t.Errorf("%+v, %v", after, err)
	}
}
