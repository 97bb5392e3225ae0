package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/manager"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/decider/project"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// recorder is a dispatcher that does nothing but remember what it was asked.
type recorder struct {
	mu      sync.Mutex
	actions map[string]core.Action
	count   map[string]int // how often a run's effects were handed out
	tended  int64          // up to which event project p was looked at last
	epic    string         // that is to begin in it
	changed chan struct{}
}

func newRecorder() *recorder {
	return &recorder{actions: map[string]core.Action{}, count: map[string]int{}, changed: make(chan struct{}, 1)}
}

func (r *recorder) Prepare(*core.Run, int64, []core.Action) {}

func (r *recorder) Reconcile(run *core.Run, _ int64, actions []core.Action) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.count[run.ID]++
	for _, a := range actions {
		r.actions[run.ID+" "+core.KeyOf(a)] = a
	}
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

func (*recorder) Release(string) {}

func (r *recorder) StartEpic(p *core.Project, _ int64, epic *core.QueuedEpic) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p.ID != "p" {
		return
	}
	r.tended = p.Stream.Seq
	if r.epic = ""; epic != nil {
		r.epic = epic.ID
	}
	select {
	case r.changed <- struct{}{}:
	default:
	}
}

// looked is up to which event the project was looked at last.
func (r *recorder) looked() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tended
}

// begins is the epic that is to begin, by the last look at a project.
func (r *recorder) begins() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.epic
}

func (r *recorder) has(match func(core.Action) bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.actions {
		if match(a) {
			return true
		}
	}
	return false
}

func (r *recorder) handed(run string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.count[run]
}

// awaitHanded waits until the effects of a run were handed out so often.
func (r *recorder) awaitHanded(t *testing.T, run string, times int) {
	t.Helper()
	r.until(t, "the effects of "+run, func() bool { return r.handed(run) >= times })
}

// await waits until an action was handed out.
func (r *recorder) await(t *testing.T, what string, match func(core.Action) bool) {
	t.Helper()
	r.until(t, what, func() bool { return r.has(match) })
}

func (r *recorder) until(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := waittest.Over()
	for !so() {
		select {
		case <-r.changed:
		case <-deadline:
			t.Fatalf("%s was never handed out", what)
		}
	}
}

// ledger is a journal in memory that can be told to fail.
type ledger struct {
	mu    sync.Mutex
	seqs  map[string]int64
	kept  *core.Run // given last
	fails error
	tries int
}

func (l *ledger) Append(_ context.Context, run *core.Run, events []core.Event, _ core.Bodies) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tries++
	l.kept = run
	if l.fails != nil {
		return l.fails
	}
	if want := l.seqs[run.ID] + 1; events[0].Seq > want {
		return fmt.Errorf("gap: event %d follows %d", events[0].Seq, want-1)
	}
	l.seqs[run.ID] = events[len(events)-1].Seq
	return nil
}

func (l *ledger) Seq(_ context.Context, run *core.Run) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seqs[run.ID], nil
}

// failWith has the journal refuse everything; nil ends that.
func (l *ledger) failWith(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fails = err
}

func (l *ledger) tried() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tries
}

type bench struct {
	t        *testing.T
	path     string
	clock    *clock
	store    store.Store
	ledger   *ledger
	recorder *recorder
	engine   *engine.Engine
	stop     func()
	log      *slog.Logger
	wrap     func(store.Store) store.Store // what the engine sees of the store; nil for all of it
	states   int                           // that the engine keeps in memory; 0 for as many as it likes
}

// clock is a database clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// began is the time at the start of a test.
func began() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) }

func newBench(t *testing.T) *bench {
	b := &bench{
		t: t, path: filepath.Join(t.TempDir(), "s.db"), ledger: &ledger{seqs: map[string]int64{}},
		clock: &clock{now: began()}, log: slog.New(slog.DiscardHandler),
	}
	b.open()
	t.Cleanup(b.close)
	return b
}

// open starts an engine on the database, as after a restart.
func (b *bench) open() {
	b.rest()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := b.engine.Run(ctx); err != nil {
			b.t.Error(err)
		}
	}()
	b.stop = func() { cancel(); <-done }
}

// rest opens the database with an engine that looks at nothing by itself.
func (b *bench) rest() {
	var err error
	sqlitetest.Plant(b.t, b.path)
	if b.store, err = sqlite.Open(b.t.Context(), b.path, sqlite.Options{Clock: b.clock.Now}); err != nil {
		b.t.Fatal(err)
	}
	b.recorder = newRecorder()
	seen := b.store
	if b.wrap != nil {
		seen = b.wrap(b.store)
	}
	b.engine = engine.New(engine.Options{
		Store: seen, Journal: b.ledger, Deciders: []core.Decider{phases.Decider{}, manager.Decider{}},
		Log: b.log, ID: "test", Look: 10 * time.Millisecond, SnapshotEvery: 5, Steward: project.Decider{}, States: b.states,
	})
	b.engine.SetDispatcher(b.recorder)
	b.own(b.engine)
	b.stop = func() {}
}

// own makes an engine the owner of the project of every run here.
func (b *bench) own(e *engine.Engine) {
	b.t.Helper()
	if err := e.Own(b.t.Context(), "p"); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) close() {
	b.stop()
	if err := b.store.Close(); err != nil {
		b.t.Error(err)
	}
}

func start(id string, limits core.Limits) core.RunStarted {
	return core.RunStarted{
		Run: id, Alias: id, Project: "p", Goal: "g", Title: "t", Limits: limits,
		Base: "main", BaseCommit: "c0", Branch: "feature/" + id, Isolation: "sandbox",
		Playbook: core.Playbook{
			Name: "p", Kind: "phases", Roles: map[string]core.Role{"dev": {Name: "dev"}},
			Phases: []core.Phase{{
				ID: "a", Role: "dev", Writes: core.WritesCode, Gate: core.GateAuto, Attempts: 2, Timeout: time.Hour,
				Done: core.Check{Kind: core.CheckAll},
			}},
		},
	}
}

func (b *bench) submit(run string, actor core.Actor, body core.Body) *core.Run {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), waittest.Limit)
	defer cancel()
	state, err := b.engine.Submit(ctx, run, actor, body)
	if err != nil {
		b.t.Fatalf("%s: %v", core.TypeOf(body), err)
	}
	return state
}

func isStart(attempt string) func(core.Action) bool {
	return func(a core.Action) bool {
		s, ok := a.(core.StartAttempt)
		return ok && s.Attempt == attempt
	}
}

func delivered(n int) *core.Delivery {
	return &core.Delivery{Commit: fmt.Sprintf("c%d", n), Tree: fmt.Sprintf("t%d", n)}
}

func TestAStepIsOneTransaction(t *testing.T) {
	b := newBench(t)
	state := b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	if got := state.Current().Tasks[0].Last(); got == nil || got.Status != core.AttemptPending {
		t.Fatalf("the first attempt is not requested: %+v", got)
	}
	b.recorder.await(t, "the start of the attempt", isStart("a.r1.a1"))
	b.submit("r1", core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1"})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1)})
	state = b.submit("r1", core.Engine(), core.VerifyConcluded{Task: "a.r1", Attempt: "a.r1.a1", Passed: true})
	if state.Status != core.StatusCompleted {
		t.Fatalf("the run is %s", state.Status)
	}
}

func TestARestartFindsTheSameStateAndHandsItsEffectsOutAgain(t *testing.T) {
	b := newBench(t)
	before := b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	for range 7 { // past a snapshot
		before = b.submit("r1", core.Engine(), core.TimerFired{Timer: "t"})
	}
	b.close()
	b.open()
	after, err := b.engine.Load(t.Context(), "r1")
	if err != nil {
		t.Fatal(err)
	}
	if after.Stream != before.Stream || after.Attempts != before.Attempts {
		t.Fatalf("state differs after a restart:\n%+v\n%+v", before.Stream, after.Stream)
	}
	if err := b.engine.Poke(t.Context(), "r1"); err != nil {
		t.Fatal(err)
	}
	b.recorder.await(t, "the start of the attempt, again", isStart("a.r1.a1"))
}

// TestARefusedWordLeavesATraceAndNothingElse, for whatever reason it was refused.
func TestARefusedWordLeavesATraceAndNothingElse(t *testing.T) {
	for name, c := range map[string]struct {
		body core.Body
		code core.Code
	}{
		"not now":           {core.RunResumed{}, core.CodeConflict},
		"no words":          {core.FeedbackGiven{Stage: "a"}, core.CodeInvalid},
		"no such stage":     {core.StageSkipped{Stage: "z", Source: core.SkipPerson}, core.CodeNotFound},
		"against the law":   {core.StageSkipped{Stage: "a", Source: core.SkipPlaybook}, core.CodeUnlawful},
		"not theirs to say": {core.RunCompleted{}, core.CodeForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			before := b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
			if _, err := b.engine.Submit(t.Context(), "r1", core.Person("me"), c.body); core.CodeOf(err) != c.code {
				t.Fatalf("got %v", err)
			}
			events, err := b.store.Events(t.Context(), core.RunStream("r1"), before.Stream.Seq, 100)
			if err != nil {
				t.Fatal(err)
			}
			if len(events) != 1 || events[0].Type != core.TypeCommandRefused || !strings.Contains(string(events[0].Body), string(core.TypeOf(c.body))) {
				t.Errorf("what follows is %+v", events)
			}
		})
	}
	b := newBench(t)
	before := b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	if _, err := b.engine.Submit(t.Context(), "r1", core.Actor{Kind: core.ActorAgent, ID: "x"}, core.RunCancelled{}); core.CodeOf(err) != core.CodeForbidden {
		t.Fatalf("an agent's word: got %v", err)
	}
	if head, err := b.store.Head(t.Context(), core.RunStream("r1")); err != nil || head.Seq != before.Stream.Seq {
		t.Errorf("an agent's word left a trace: %+v, %v", head, err)
	}
}

// TestAWordThatIsSaidAgainLeavesNoTrace: who lost the answer repeats the call, maybe to another engine, and is told what came of it.
func TestAWordThatIsSaidAgainLeavesNoTrace(t *testing.T) {
	b := newBench(t)
	b.turning("r1", core.DefaultLimits())
	word := core.MessageSent{Voice: core.VoiceUser, Text: "hello", Call: "c"}
	before := b.submit("r1", core.Person("me"), word)
	if _, err := b.engine.Submit(t.Context(), "r1", core.Person("me"), word); core.CodeOf(err) != core.CodeConflict || !errors.Is(err, core.ErrHeard) {
		t.Fatalf("got %v", err)
	}
	events, err := b.store.Events(t.Context(), core.RunStream("r1"), before.Stream.Seq, 100)
	if err != nil || slices.ContainsFunc(events, func(e core.Event) bool { return e.Type == core.TypeCommandRefused }) {
		t.Errorf("what follows is %+v, %v", events, err)
	}
}

func TestASecondRunOnABranchIsRefused(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	second := start("r2", core.DefaultLimits())
	second.Branch = "feature/r1"
	_, err := b.engine.Submit(t.Context(), "r2", core.Person("me"), second)
	if core.CodeOf(err) != core.CodeConflict {
		t.Fatalf("got %v", err)
	}
	b.submit("r1", core.Person("me"), core.RunCancelled{})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitCancelled})
	b.submit("r2", core.Person("me"), second)
}

func TestAWaitingAttemptStartsWhenASlotIsFree(t *testing.T) {
	b := newBench(t)
	limits := core.DefaultLimits()
	limits.Parallel = 1
	b.submit("r1", core.Person("me"), start("r1", limits))
	state := b.submit("r2", core.Person("me"), start("r2", limits))
	if state.Current().Tasks[0].Blocked == nil {
		t.Fatalf("the second run does not wait: %+v", state.Current().Tasks[0])
	}
	b.submit("r1", core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1"})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1)})
	b.recorder.await(t, "the second run's attempt", func(a core.Action) bool {
		s, ok := a.(core.StartAttempt)
		return ok && strings.HasPrefix(s.Event, "run/r2#")
	})
}

func TestTimersBringTheTime(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitNoStart, Message: "no disk"})
	if b.recorder.has(isStart("a.r1.a2")) {
		t.Fatal("tried again without waiting")
	}
	b.clock.move(2 * time.Second)
	b.recorder.await(t, "the second attempt after its backoff", isStart("a.r1.a2"))
}

// TestAUsageLimitIsWaitedFor: the account says when it has something left, and
// nothing is tried before, however short the wait after other losses is.
func TestAUsageLimitIsWaitedFor(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	b.submit("r1", core.Engine(), core.AttemptStarted{Attempt: "a.r1.a1"})
	reset := began().Add(3 * time.Hour)
	state := b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFailed, Class: "usage_limit", RetryAt: &reset})
	if task := state.Current().Tasks[0]; !task.NotBefore.Equal(reset) || task.Counted != 0 {
		t.Fatalf("it is tried again at %s, with %d attempts counted", task.NotBefore, task.Counted)
	}
	if due := core.Timers(state); len(due) == 0 || !due[0].Equal(reset) {
		t.Fatalf("the run is looked at again at %v", due)
	}
	b.clock.move(2 * time.Hour)
	if state = b.submit("r1", core.Engine(), core.TimerFired{Timer: "t"}); state.Attempts != 1 {
		t.Fatal("tried again before the limit was reset")
	}
	b.clock.move(time.Hour)
	b.recorder.await(t, "the second attempt after the reset", isStart("a.r1.a2"))
}

func TestTheClockNeverRunsBackwards(t *testing.T) {
	b := newBench(t)
	first := b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	b.clock.move(-time.Hour)
	second := b.submit("r1", core.Engine(), core.TimerFired{Timer: "t"})
	if second.Now().Before(first.Now()) {
		t.Fatalf("%s came after %s", second.Now(), first.Now())
	}
}

func TestEffectsWaitForTheJournal(t *testing.T) {
	b := newBench(t)
	b.ledger.failWith(errors.New("no space left on device"))
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	if b.recorder.has(isStart("a.r1.a1")) {
		t.Fatal("an effect came before the journal")
	}
	b.ledger.failWith(nil)
	b.clock.move(2 * time.Minute) // the failed look's lease runs out
	b.recorder.await(t, "the attempt, once the journal is written", isStart("a.r1.a1"))
}

func TestFollowShowsEverythingOnceAndEndsWithTheRun(t *testing.T) {
	b := newBench(t)
	b.submit("r1", core.Person("me"), start("r1", core.DefaultLimits()))
	seen := make(chan core.Event, 100)
	done := make(chan error, 1)
	go func() {
		done <- b.engine.Follow(t.Context(), "r1", 0, func(e core.Event) error { seen <- e; return nil })
	}()
	b.submit("r1", core.Person("me"), core.RunCancelled{Reason: "enough"})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	close(seen)
	want := int64(1)
	for e := range seen {
		if e.Seq != want {
			t.Fatalf("event %d, expected %d", e.Seq, want)
		}
		want++
	}
}
