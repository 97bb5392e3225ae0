package dispatch

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestOnlyWhatLooksIsCalledOff: an action that is no longer wanted ends where it only finds something out; what it
// changes in the world it brings to an end.
func TestOnlyWhatLooksIsCalledOff(t *testing.T) {
	d := New(nil, Options{})
	t.Cleanup(d.Close)
	for action, looks := range map[core.Action]bool{
		core.Verify{}: true, core.Validate{}: true, core.PreparePublish{}: true, core.Merge{}: true, core.WatchPullRequest{}: true,
		core.StartAttempt{}: false, core.WatchAttempt{}: false, core.StopAttempt{}: false, core.EvaluateCondition{}: false, core.MoveBranch{}: false,
		core.HoldRef{}: false, core.Publish{}: false, core.ReadPlan{}: false, core.WritePlan{}: false, core.Sweep{}: false, core.Notify{}: false,
	} {
		ctx, cancel := context.WithCancelCause(d.ctx)
		scope, end := d.scope(ctx, action)
		cancel(errUnwanted)
		if (scope.Err() != nil) != looks {
			t.Errorf("%T is called off: %t", action, !looks)
		}
		end()
		ctx, cancel = context.WithCancelCause(d.ctx)
		scope, end = d.scope(ctx, action)
		cancel(errReleased)
		<-scope.Done() // whatever it is, another engine does it now
		end()
	}
}

// hear notes what somebody is told, when they listen.
type hear struct {
	listens chan struct{}
	told    []string
}

func (h *hear) Tell(ctx context.Context, run *core.Run) error {
	select {
	case <-h.listens:
		h.told = append(h.told, run.ID)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// TestARunsStateSaysNothingOfAnother: what is under way for one run goes on while another's actions change.
func TestARunsStateSaysNothingOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		move := core.MoveBranch{Ref: "refs/heads/x", New: "c1"}
		b := newBarred(t, move)
		b.want(move)
		other := &core.Run{ID: "run-2", Playbook: &core.Playbook{}}
		b.Reconcile(other, 1, nil)
		time.Sleep(time.Hour)
		synctest.Wait()
		if b.tried() < 2 {
			t.Error("another run ended it")
		}
	})
}

// TestNothingBeginsAfterTheEnd of the dispatcher, and what looks or waits ends with it.
func TestNothingBeginsAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		notify := core.Notify{Event: "run/run-1#5"}
		b := newBarred(t, notify)
		h := &hear{listens: make(chan struct{})}
		b.Notifier = h
		b.want(notify)
		b.Close()
		b.Reconcile(b.run, 1, []core.Action{core.MoveBranch{Ref: "refs/heads/x"}})
		synctest.Wait()
		if len(h.told) > 0 || b.tried() > 0 {
			t.Errorf("told %v, tried %d times", h.told, b.tried())
		}
	})
}

// TestTheEndWaitsForWhatIsUnderWay: whatever the dispatcher works with may be closed after it.
func TestTheEndWaitsForWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		notify := core.Notify{Event: "run/run-1#5"}
		b := newBarred(t, notify)
		s := slow{make(chan struct{})}
		b.Notifier = s
		b.want(notify)
		synctest.Wait()
		closed := make(chan struct{})
		go func() { b.Close(); close(closed) }()
		synctest.Wait()
		select {
		case <-closed:
			t.Error("the end did not wait for what is under way")
		default:
		}
		s.listens <- struct{}{}
		<-closed
	})
}

// TestARunThatIsOverIsForgotten once nothing of it is left to do, and not before.
func TestARunThatIsOverIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		notify := core.Notify{Event: "run/run-1#5"}
		b := newBarred(t, notify)
		b.Notifier = &hear{listens: make(chan struct{})}
		for _, c := range []struct {
			status  core.RunStatus
			actions []core.Action
			kept    bool
		}{
			{core.StatusActive, nil, true},
			{core.StatusCompleted, []core.Action{notify}, true},
			{core.StatusCompleted, nil, false},
		} {
			b.run.Status, b.run.Stream.Seq = c.status, b.run.Stream.Seq+1
			b.want(c.actions...)
			if _, kept := b.seen[b.run.ID]; kept != c.kept {
				t.Errorf("%s with %d actions is remembered: %t", c.status, len(c.actions), kept)
			}
		}
	})
}

// TestAPersonIsToldNowAndThen of what keeps failing: every few times, without a secret, and how they go on.
func TestAPersonIsToldNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		move := core.MoveBranch{Ref: "refs/heads/x", New: "c1"}
		b := newBarred(t, move)
		engine := &heard{news: make(chan core.Body, 10)}
		b.run.Alias = "brisk-otter"
		b.Redactors = func([]string) Redactor { return discreet{} }
		b.want(move)
		b.until(2*loud + loud/2)
		if b.pauses != 2 {
			t.Errorf("after %d tries the run paused %d times", b.tried(), b.pauses)
		}
		b.engine = engine
		b.tell(b.ctx, b.run, errors.New("no way to "+hiddenWord))
		pause, ok := (<-engine.news).(core.RunPaused)
		if !ok || pause.Code != core.PauseAction || !strings.Contains(pause.Reason, "no way to [redacted]") || !slices.Equal(pause.Choices, []core.Choice{{Verb: core.VerbResume, Run: "brisk-otter"}}) {
			t.Errorf("said is %+v", pause)
		}
	})
}

// refusing is an engine with an answer of its own.
type refusing struct{ err error }

func (r refusing) Conclude(context.Context, string, int64, core.Body) (*core.Run, error) {
	return nil, r.err
}
func (refusing) Poke(context.Context, string) error { return nil }
func (refusing) Owns(string, int64) bool            { return true }

func (refusing) Seat(context.Context, *core.Run, int64, string) (bool, error) { return true, nil }

func (refusing) Vacate(context.Context, string, int64, string) error { return nil }

// TestWhatIsConcludedAlreadyIsNoFailure; everything else that keeps a report from the record is.
func TestWhatIsConcludedAlreadyIsNoFailure(t *testing.T) {
	b := newBarred(t)
	for code, failed := range map[core.Code]bool{core.CodeConflict: false, core.CodeInternal: true, core.CodeInvalid: true, core.CodeNotFound: true, core.CodeForbidden: true} {
		b.engine = refusing{core.Errorf(code, "no")}
		if err := b.report(t.Context(), b.run, core.RunSwept{}); (err != nil) != failed {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// TestASecretWithSomethingHiddenInIt is recognised once that is gone.
func TestASecretWithSomethingHiddenInIt(t *testing.T) {
	b := newBarred(t)
	b.Redactors = func([]string) Redactor { return discreet{} }
	if got := b.harmless(b.run, "it is hun\u200bter\u202e2."); got != "it is [redacted]." {
		t.Errorf("shown is %q", got)
	}
}

// TestTheSecretsOfARunAreKnown to who removes them: those that any of its agents is handed.
func TestTheSecretsOfARunAreKnown(t *testing.T) {
	b := newBarred(t)
	b.run.Playbook.Agents = map[string]core.Agent{"a": {Secrets: []string{"ONE"}}, "b": {Secrets: []string{"TWO", "ONE"}}}
	var asked []string
	b.Redactors = func(names []string) Redactor { asked = names; return unredacted{} }
	b.redactor(b.run)
	b.Environ = func(name string) (string, bool) { return "value", name == "TWO" }
	if handed := b.present(asked); strings.Join(asked, " ") != "ONE TWO" || strings.Join(handed, " ") != "TWO=value" {
		t.Errorf("known are %q, handed over %q", asked, handed)
	}
}

// TestANoticeNobodyTakesHoldsNothingUp, but one that the engine's end cut short is given by the next.
func TestANoticeNobodyTakesHoldsNothingUp(t *testing.T) {
	b := newBarred(t)
	engine := &heard{news: make(chan core.Body, 1)}
	b.engine, b.Notifier = engine, told{errors.New("no mail")}
	if err := b.notify(t.Context(), b.run, core.Notify{Event: "e5"}); err != nil {
		t.Fatal(err)
	}
	if said := engine.await(t); said != (core.PersonNotified{Event: "e5"}) {
		t.Errorf("reported is %+v", said)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := b.notify(ended, b.run, core.Notify{Event: "e5"}); !errors.Is(err, context.Canceled) || len(engine.news) > 0 {
		t.Errorf("an engine that ends gave it: %v", err)
	}
}

type told struct{ err error }

func (t told) Tell(context.Context, *core.Run) error { return t.err }

// TestAConditionThatCannotBeEvaluated is told as such, and is not one that does not hold.
func TestAConditionThatCannotBeEvaluated(t *testing.T) {
	b := newBarred(t)
	engine := &heard{news: make(chan core.Body, 1)}
	b.engine = engine
	b.run.Stages = []*core.Stage{{ID: "plan", Status: core.StageDone, Tasks: []*core.Task{{ID: "plan.r1", Status: core.TaskDone, Attempts: []*core.Attempt{
		{Verdict: core.VerdictPassed, Delivery: &core.Delivery{Context: []byte(`{"database": true}`)}},
	}}}}}
	for expr, want := range map[string]core.ConditionEvaluated{
		".database": {Stage: "build", Holds: true}, ".other": {Stage: "build"}, ".database | error": {Stage: "build", Error: "x"},
	} {
		if err := b.evaluateCondition(t.Context(), b.run, core.EvaluateCondition{Stage: "build", Expr: expr}); err != nil {
			t.Fatal(err)
		}
		said := engine.await(t).(core.ConditionEvaluated)
		if said.Stage != want.Stage || said.Holds != want.Holds || (said.Error == "") != (want.Error == "") {
			t.Errorf("%s: %+v", expr, said)
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if err := b.evaluateCondition(ended, b.run, core.EvaluateCondition{Expr: "."}); !errors.Is(err, context.Canceled) || len(engine.news) > 0 {
		t.Errorf("an engine that ends said something: %v", err)
	}
}
