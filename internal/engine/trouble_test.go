package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// troubled is a store of which single calls fail while they are told to.
type troubled struct {
	store.Store
	claim, commit, rest, now, due, run error
	blank                              bool // it has lost its events
	rested                             int
	when                               *time.Time
	claimed                            func() // after each list of hints
}

func (s *troubled) Hints(ctx context.Context, engine string, limit int) ([]store.Hint, error) {
	defer s.claimed()
	if s.claim != nil {
		return nil, s.claim
	}
	return s.Store.Hints(ctx, engine, limit)
}

func (s *troubled) Commit(ctx context.Context, c store.Commit) error {
	if s.commit != nil {
		return s.commit
	}
	return s.Store.Commit(ctx, c)
}

func (s *troubled) Rest(ctx context.Context, w store.Hint) error {
	s.rested++
	if s.rest != nil {
		return s.rest
	}
	return s.Store.Rest(ctx, w)
}

func (s *troubled) Now(ctx context.Context) (time.Time, error) {
	if s.now != nil {
		return time.Time{}, s.now
	}
	return s.Store.Now(ctx)
}

func (s *troubled) NextDue(context.Context, time.Time) (*time.Time, error) { return s.when, s.due }

func (s *troubled) Run(ctx context.Context, run string) (store.RunRow, error) {
	if s.run != nil {
		return store.RunRow{}, s.run
	}
	return s.Store.Run(ctx, run)
}

func (s *troubled) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	if s.blank {
		return nil, nil
	}
	return s.Store.Events(ctx, stream, after, limit)
}

// troubling is an engine on such a store, and what it logs. Nobody looks.
func troubling(t *testing.T, change func(*engine.Options)) (b *bench, e *engine.Engine, s *troubled, log *bytes.Buffer) {
	t.Helper()
	b = newBench(t)
	b.stop()
	s, log = &troubled{Store: b.store, claimed: func() {}}, &bytes.Buffer{}
	o := engine.Options{
		Store: s, Journal: b.ledger, Deciders: []core.Decider{phases.Decider{}}, ID: "test",
		Log: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}})),
	}
	if change != nil {
		change(&o)
	}
	e = engine.New(o)
	e.SetDispatcher(b.recorder)
	b.own(e)
	return b, e, s, log
}

// TestTroubleOfALookIsLogged, what is nobody's trouble is not, and only a look that saw everything ends its hint.
func TestTroubleOfALookIsLogged(t *testing.T) {
	const stream = "stream=run/r1"
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for name, test := range map[string]struct {
		ctx    context.Context //nolint:containedctx // a column of the table
		change func(b *bench, s *troubled)
		log    string
		rested int
	}{
		"nothing": {nil, func(*bench, *troubled) {}, "", 1},
		"the journal fails": {nil, func(b *bench, _ *troubled) {
			b.ledger.seqs["r1"] = 0
			b.ledger.failWith(core.Errorf(core.CodeUnavailable, "full"))
		}, `level=ERROR msg=look ` + stream + ` error=full`, 0},
		"the hint cannot be ended":   {nil, func(_ *bench, s *troubled) { s.rest = errFault }, `level=ERROR msg="end a look" ` + stream + ` error="the store does not answer"`, 1},
		"another has it by now":      {nil, func(_ *bench, s *troubled) { s.rest = fmt.Errorf("x: %w", store.ErrFenced) }, "", 1},
		"the engine is to end":       {gone, func(*bench, *troubled) {}, "", 0},
		"the events are not there":   {nil, func(b *bench, s *troubled) { b.ledger.seqs["r1"] = 1; s.blank = true }, `level=ERROR msg="write the run folder" ` + stream + ` error="stream run/r1 ends at 1, expected 5"` + "\n" + `level=ERROR msg=look ` + stream + ` error="stream run/r1 ends at 1, expected 4"`, 0},
		"its time is not to be told": {nil, func(_ *bench, s *troubled) { s.now = errFault }, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			b, e, s, log := troubling(t, nil)
			if _, err := e.Submit(t.Context(), "r1", core.Person("me"), start("r1", core.DefaultLimits())); err != nil {
				t.Fatal(err)
			}
			hints, err := b.store.Hints(t.Context(), "test", 1)
			if err != nil || len(hints) != 1 {
				t.Fatalf("%+v, %v", hints, err)
			}
			test.change(b, s)
			ctx := t.Context()
			if test.ctx != nil {
				ctx = test.ctx
			}
			e.Look(ctx, hints[0])
			if got := strings.TrimSpace(log.String()); got != test.log || s.rested != test.rested {
				t.Errorf("logged %q, want %q; ended %d hints", got, test.log, s.rested)
			}
		})
	}
}

// TestAnEngineLooksOnThoughItCouldNot: it says that it could not look for hints, and does so again.
func TestAnEngineLooksOnThoughItCouldNot(t *testing.T) {
	_, e, s, log := troubling(t, func(o *engine.Options) { o.Look = time.Millisecond })
	ctx, cancel := context.WithCancel(t.Context())
	s.claim = errFault
	n := 0
	s.claimed = func() {
		if n++; n == 3 {
			cancel() // whose error is the end, and not worth a word
		}
	}
	if err := e.Run(ctx); err != nil || n != 3 {
		t.Errorf("it ended after %d looks: %v", n, err)
	}
	line := `level=ERROR msg="look for hints" error="the store does not answer"` + "\n"
	if got := log.String(); got != line+line {
		t.Errorf("logged %q", got)
	}
}

// TestHowLongIsWaitedForASignal: until something is due, no longer than was asked for, and never not at all.
func TestHowLongIsWaitedForASignal(t *testing.T) {
	const look = 10 * time.Second
	at := func(d time.Duration) *time.Time { w := began().Add(d); return &w }
	for name, test := range map[string]struct {
		change func(s *troubled)
		want   time.Duration
	}{
		"nothing is due":           {func(*troubled) {}, look},
		"it is due soon":           {func(s *troubled) { s.when = at(3 * time.Second) }, 3 * time.Second},
		"it is due later":          {func(s *troubled) { s.when = at(time.Minute) }, look},
		"it is due now":            {func(s *troubled) { s.when = at(0) }, time.Millisecond},
		"it was due":               {func(s *troubled) { s.when = at(-time.Hour) }, time.Millisecond},
		"nobody knows what is due": {func(s *troubled) { s.when, s.due = at(time.Second), errFault }, look},
		"nobody knows the time":    {func(s *troubled) { s.when, s.now = at(time.Second), errFault }, look},
	} {
		_, e, s, _ := troubling(t, func(o *engine.Options) { o.Look = look })
		test.change(s)
		if got := e.NextLook(t.Context()); got != test.want {
			t.Errorf("%s: %s, want %s", name, got, test.want)
		}
	}
	if _, e, _, _ := troubling(t, nil); e.NextLook(t.Context()) != time.Second {
		t.Errorf("by default it waits %s", e.NextLook(t.Context()))
	}
}

// TestARefusalThatLeavesNoTraceIsLogged: the word is answered all the same, and the next is judged by what the store has.
func TestARefusalThatLeavesNoTraceIsLogged(t *testing.T) {
	b, e, s, log := troubling(t, nil)
	if _, err := e.Submit(t.Context(), "r1", core.Person("me"), start("r1", core.DefaultLimits())); err != nil {
		t.Fatal(err)
	}
	s.commit = errFault
	if _, err := e.Submit(t.Context(), "r1", core.Person("me"), core.RunResumed{}); core.CodeOf(err) != core.CodeConflict {
		t.Errorf("refused with %v", err)
	}
	if got, want := strings.TrimSpace(log.String()), `level=ERROR msg="record a refusal" stream=run/r1 error="commit to run/r1: the store does not answer"`; got != want {
		t.Errorf("logged %q, want %q", got, want)
	}
	if e.Holds("r1") {
		t.Error("it is held as if it were what the store has")
	}
	s.commit = nil
	run, err := e.Submit(t.Context(), "r1", core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "lunch"})
	if err != nil || run.Status != core.StatusPaused || slices.Contains(b.types("r1"), core.TypeCommandRefused) {
		t.Errorf("afterwards: %+v, %v", run, err)
	}
	if _, err := e.Submit(t.Context(), "r9", core.Person("me"), core.RunResumed{}); err == nil || len(b.types("r9")) != 0 {
		t.Errorf("a word to a run that is not: %v, %v", err, b.types("r9"))
	}
}

// TestAJournalThatCannotBeWrittenIsLogged, and the next look comes without a signal of the store.
func TestAJournalThatCannotBeWrittenIsLogged(t *testing.T) {
	b, e, _, log := troubling(t, nil)
	b.ledger.failWith(errFault)
	run, err := e.Submit(t.Context(), "r1", core.Person("me"), start("r1", core.DefaultLimits()))
	if err != nil || run == nil || !e.Nudged() {
		t.Errorf("submitted: %+v, %v", run, err)
	}
	if got, want := strings.TrimSpace(log.String()), `level=ERROR msg="write the run folder" stream=run/r1 error="the store does not answer"`; got != want {
		t.Errorf("logged %q, want %q", got, want)
	}
	b.ledger.failWith(nil)
	if _, err := e.Submit(t.Context(), "r2", core.Person("me"), start("r2", core.DefaultLimits())); err != nil || e.Nudged() {
		t.Errorf("a look is wanted after a step that was written: %v", err)
	}
}

// TestADeciderThatDoesNotRestPausesItsRun after as many decisions as a step may have.
func TestADeciderThatDoesNotRestPausesItsRun(t *testing.T) {
	opens := core.StageOpened{Stage: "a", Round: 1, Base: "c0", Reason: core.OpenAdvance}
	for reason, test := range map[string]struct {
		decides func(*core.Run) []core.Body
		types   int
	}{
		"64 decisions in one step without coming to rest": {func(r *core.Run) []core.Body {
			if r.Stages[0].Status == core.StagePending {
				return []core.Body{opens}
			}
			return []core.Body{core.TaskAdmitted{Task: fmt.Sprint("a.r1.x", len(r.Stages[0].Tasks)), Stage: "a", Round: 1, Attempts: 1}}
		}, 1 + 64 + 1},
		"StageOpened was decided, and the law refuses it: ": {func(*core.Run) []core.Body {
			return []core.Body{opens, core.StageOpened{Stage: "z"}, opens}
		}, 1 + 1 + 1},
	} {
		b, e, _, _ := troubling(t, func(o *engine.Options) { o.Deciders = []core.Decider{strayed{test.decides}} })
		run, err := e.Submit(t.Context(), "r1", core.Person("me"), start("r1", core.DefaultLimits()))
		if err != nil || run.Pause == nil || run.Pause.Code != core.PauseUnlawful || !strings.HasPrefix(run.Pause.Reason, reason) || !slices.Equal(run.Pause.Choices, run.Choices(core.VerbReplay)) {
			t.Fatalf("%s: %+v, %v", reason, run, err)
		}
		if got := b.types("r1"); len(got) != test.types || got[len(got)-1] != core.TypeRunPaused {
			t.Errorf("%s: %d events: %v", reason, len(got), got)
		}
	}
}

// TestWhoHoldsItIsSaid: by its alias, or its id where the list cannot be read.
func TestWhoHoldsItIsSaid(t *testing.T) {
	b, e, s, _ := troubling(t, func(o *engine.Options) { o.Deciders = []core.Decider{phases.Decider{}, resting("manager")} })
	first, driver := start("r1", core.DefaultLimits()), byManager("r3", core.DefaultLimits())
	first.Alias, driver.Alias = "shop-1", "shop-3"
	for run, body := range map[string]core.Body{"r1": first, "r3": driver} {
		if _, err := e.Submit(t.Context(), run, core.Person("me"), body); err != nil {
			t.Fatal(err)
		}
	}
	second, another := start("r2", core.DefaultLimits()), byManager("r4", core.DefaultLimits())
	second.Branch, another.Project = first.Branch, driver.Project
	for _, test := range []struct {
		run     string
		body    core.Body
		unread  error
		message string
		hint    string
	}{
		{"r2", second, nil, "the branch feature/r1 is in use by run shop-1", "--branch"},
		{"r2", second, errFault, "the branch feature/r1 is in use by run r1", "--branch"},
		{"r4", another, nil, "the project is driven by run shop-3 already", "`stellwerk feedback shop-3 "},
	} {
		s.run = test.unread
		_, err := e.Submit(t.Context(), test.run, core.Person("me"), test.body)
		if core.CodeOf(err) != core.CodeConflict || err.Error() != test.message || !strings.Contains(wording.Hint(err), test.hint) {
			t.Errorf("%v (%s), want %s", err, wording.Hint(err), test.message)
		}
		if n := len(b.types(test.run)); n != 0 {
			t.Errorf("%s: it left %v", test.run, b.types(test.run))
		}
	}
}

// resting is a decider of a kind that decides nothing.
type resting string

func (r resting) Kind() string               { return string(r) }
func (resting) Version() int                 { return 1 }
func (resting) Decide(*core.Run) []core.Body { return nil }

// TestAShorterFolderTellsNothingNew, at whichever event it ends.
func TestAShorterFolderTellsNothingNew(t *testing.T) {
	whole := told(t)
	b := newBench(t)
	if n, err := b.engine.Import(t.Context(), "r1", whole); n != len(whole) || err != nil {
		t.Fatal(n, err)
	}
	before, err := b.store.Head(t.Context(), core.RunStream("r1"))
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) + 1 {
		if taken, err := b.engine.Import(t.Context(), "r1", whole[:n]); taken != 0 || err != nil {
			t.Errorf("of the first %d: %d taken, %v", n, taken, err)
		}
	}
	if after, err := b.store.Head(t.Context(), core.RunStream("r1")); err != nil || after != before {
		t.Errorf("it went from %+v to %+v, %v", before, after, err)
	}
}

// silent is a store that signals nothing.
type silent struct{ store.Store }

func (silent) Signals() <-chan struct{} { return nil }

// TestAFolderThatStaysBrokenPausesItsRunOnce, and a pause that cannot be written is said with what led to it.
func TestAFolderThatStaysBrokenPausesItsRunOnce(t *testing.T) {
	b, e, s, _ := troubling(t, nil)
	if _, err := e.Submit(t.Context(), "r1", core.Person("me"), start("r1", core.DefaultLimits())); err != nil {
		t.Fatal(err)
	}
	b.ledger.seqs["r1"] = 0
	broken := core.Errorf(core.CodeForked, "another history")
	b.ledger.failWith(broken)
	before := b.types("r1")
	s.commit = errFault
	if _, err := e.LookAt(t.Context(), &store.Hint{Stream: core.RunStream("r1")}); !errors.Is(err, broken) || !errors.Is(err, errFault) {
		t.Errorf("a pause that cannot be written: %v", err)
	}
	s.commit = nil
	for range 2 {
		if _, err := e.LookAt(t.Context(), &store.Hint{Stream: core.RunStream("r1")}); err == nil || err.Error() != broken.Error() {
			t.Errorf("looked at: %v", err)
		}
		if after := b.types("r1")[len(before):]; !slices.Equal(after, []core.Type{core.TypeRunPaused}) {
			t.Errorf("what follows is %v", after)
		}
	}
}
