package manager_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func say(text string) core.MessageSent { return core.MessageSent{Voice: core.VoiceUser, Text: text} }

func question(text, otherwise string, after time.Duration) core.QuestionAsked {
	return core.QuestionAsked{ID: core.QuestionID("p", text), Text: text, Default: otherwise, After: after}
}

// published brings a project to the gate of its pull request.
func published(t *testing.T) *world {
	t.Helper()
	w := steady(t)
	w.planned()
	if d := w.propose(of(core.KindPR, "")); d.Status != core.DelegationOpen {
		t.Fatalf("%+v", d)
	}
	w.rest()
	effect[core.PreparePublish](w)
	if w.run.Status != core.StatusAwaiting {
		t.Fatalf("%s\n%s", w.run.Status, w.account())
	}
	return w
}

func kinds(wakes []core.Wake) string {
	var names []string
	for _, wake := range wakes {
		names = append(names, string(wake.Kind))
	}
	return strings.Join(names, " ")
}

func TestWhatHappensDuringATurnIsForTheNext(t *testing.T) {
	w := steady(t)
	w.planned()
	w.propose(work(""))
	w.must(core.Person("me"), say("one"))
	w.must(core.Person("me"), say("two"))
	w.worked()
	effect[core.Merge](w)
	if got := kinds(w.run.Manager().Turn.Wakes); got != "epic" {
		t.Errorf("the turn was woken by %q", got)
	}
	w.rest()
	if got := kinds(w.run.Manager().Turn.Wakes); got != "message message task" || w.run.Manager().Round != 2 || len(w.run.Managing.Wakes) != 0 {
		t.Errorf("turn %d was woken by %q, %d wait", w.run.Manager().Round, got, len(w.run.Managing.Wakes))
	}
	w.rest()
	if w.run.InTurn() {
		t.Error("the manager is woken for nothing")
	}
}

func TestMoreWakesThanAreHeld(t *testing.T) {
	w := steady(t)
	for i := range 50 {
		w.must(core.Person("me"), say(fmt.Sprint(i)))
	}
	w.rest()
	if turn := w.run.Manager().Turn; len(turn.Wakes)+turn.Missed != 50 || turn.Missed == 0 || w.run.Managing.Missed != 0 {
		t.Errorf("%d wakes, %d missed", len(turn.Wakes), turn.Missed)
	}
}

func TestThreeBarrenTurnsPause(t *testing.T) {
	w := steady(t)
	for range core.MaxBarren - 1 {
		w.rest()
		w.now = w.now.Add(time.Hour)
		w.must(core.Engine(), core.TimerFired{Timer: "due"})
	}
	if w.run.Status != core.StatusActive || w.run.Managing.Barren != core.MaxBarren-1 {
		t.Fatalf("%s after %d barren turns", w.run.Status, w.run.Managing.Barren)
	}
	w.rest()
	if w.run.Pause == nil || w.run.Pause.Code != core.PauseBarren || !strings.Contains(w.run.Pause.Reason, "woken 3 times in a row and changed nothing") {
		t.Fatalf("%+v", w.run.Pause)
	}
	w.must(core.Person("me"), core.RunResumed{Note: "go on"})
	if got := kinds(w.run.Manager().Turn.Wakes); got != "person" || w.run.Managing.Barren != 0 {
		t.Errorf("resumed for %q with %d barren turns", got, w.run.Managing.Barren)
	}
}

func TestTurnsWhileWorkIsUnderWayAreNotBarren(t *testing.T) {
	w := steady(t)
	w.planned()
	w.propose(work(""))
	w.rest()
	for range 5 {
		w.must(core.Person("me"), say("and?"))
		w.rest()
	}
	if w.run.Managing.Barren != 0 || w.run.Status != core.StatusActive {
		t.Errorf("%s, %d barren", w.run.Status, w.run.Managing.Barren)
	}
}

func TestTheWatchdogLooksWhereNothingHappens(t *testing.T) {
	w := steady(t)
	w.planned()
	w.now = w.now.Add(2 * time.Minute)
	w.rest() // 00:02; silent until 00:12, looked for every five minutes
	if due := core.Timers(w.run); len(due) != 1 || due[0].Sub(w.run.StartedAt) != 15*time.Minute {
		t.Fatalf("due %v", due)
	}
	w.now = w.run.StartedAt.Add(14 * time.Minute)
	w.must(core.Engine(), core.TimerFired{Timer: "due"})
	if w.run.InTurn() {
		t.Fatal("woken too early")
	}
	w.now = w.run.StartedAt.Add(15 * time.Minute)
	w.must(core.Engine(), core.TimerFired{Timer: "due"})
	if !w.run.InTurn() || kinds(w.run.Manager().Turn.Wakes) != "watchdog" {
		t.Fatal("not woken")
	}
	if elapsed := w.run.Manager().Turn.Wakes[0].Elapsed; elapsed != 13*time.Minute {
		t.Errorf("it is told of %s of silence", elapsed)
	}
}

func TestTheWatchdogIsQuietWhereSomethingIsAwaited(t *testing.T) {
	for name, begin := range map[string]func(w *world){
		"work":       func(w *world) { w.propose(work("")); w.rest() },
		"a question": func(w *world) { w.call(core.ToolQuestion, question("why?", "", 0)); w.rest() },
		"a review": func(w *world) {
			w.propose(of(core.KindPR, ""))
			w.rest()
			effect[core.PreparePublish](w)
			w.decide()
			effect[core.Publish](w)
			w.rest()
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := steady(t)
			w.planned()
			begin(w)
			w.now = w.now.Add(9 * time.Hour)
			w.must(core.Engine(), core.TimerFired{Timer: "due"})
			if w.run.InTurn() || !w.run.WatchdogAt().IsZero() {
				t.Errorf("woken, next at %s\n%s", w.run.WatchdogAt(), w.account())
			}
		})
	}
}

// TestWhatWaitsForTheManagerDoesNotHideSilence: only the manager can close a line
// that others wait for.
func TestWhatWaitsForTheManagerDoesNotHideSilence(t *testing.T) {
	w := steady(t)
	w.planned()
	w.propose(work("api"))
	w.propose(core.Proposal{Prompt: "later", Line: "ui", After: []string{"api"}})
	w.worked()
	w.rest()
	w.rest()
	if w.run.Delegation("t2").Status != core.DelegationWaiting || w.run.WatchdogAt().IsZero() {
		t.Errorf("nobody would look\n%s", w.account())
	}
}

func TestAPlanIsChangedFromWhatIsThere(t *testing.T) {
	w := steady(t)
	w.planned()
	err := w.tool(w.turn(), core.ToolPlan, core.PlanProposed{Base: "", Files: []core.PlanFile{{Name: "plan.md", Digest: "x"}}, Message: "m"})
	if core.CodeOf(err) != core.CodeConflict || !strings.Contains(err.Error(), "changed since you read it") || !strings.Contains(wording.Hint(err), "plan --show") {
		t.Errorf("%v", err)
	}
	if deeds := w.run.Manager().Turn.Deeds; deeds[len(deeds)-1].Refused == "" {
		t.Errorf("%+v", deeds)
	}
}

// TestAPlanOfAPersonInReview: what is published is then not all there is.
func TestAPlanOfAPersonInReview(t *testing.T) {
	w := published(t)
	w.decide()
	effect[core.Publish](w)
	w.rest()
	if w.run.Status != core.StatusReview {
		t.Fatalf("%s\n%s", w.run.Status, w.account())
	}
	w.must(core.Person("me"), core.PlanProposed{Base: w.run.Driving.Plan.Digest, Files: []core.PlanFile{{Name: "plan.md", Digest: "x"}}, Message: "m"})
	effect[core.WritePlan](w)
	if w.run.Status != core.StatusActive || w.run.WatchdogAt().IsZero() {
		t.Errorf("%s, nobody would look", w.run.Status)
	}
}

func TestAFloodIsBounded(t *testing.T) {
	w := steady(t)
	for range 500 {
		_ = w.tool(w.turn(), core.ToolMessage, core.MessageSent{Voice: core.VoiceGreen, Text: "hello"})
	}
	turn := w.run.Manager().Turn
	refused := 0
	for _, e := range w.events {
		if e.Type == core.TypeToolRefused {
			refused++
		}
	}
	if len(w.run.Talk) != core.MaxMessages || refused != core.MaxDeeds || len(turn.Deeds) > 2*core.MaxDeeds {
		t.Errorf("%d messages, %d refusals recorded, %d deeds", len(w.run.Talk), refused, len(turn.Deeds))
	}
}

// TestARepeatedTurnDelegatesNothingTwice: its first agent was lost after it had
// delegated, and what it delegated is done.
func TestARepeatedTurnDelegatesNothingTwice(t *testing.T) {
	w := steady(t)
	w.planned()
	w.propose(work(""))
	w.must(core.Engine(), core.AttemptExited{Attempt: w.turn(), Kind: core.ExitLost})
	w.worked()
	effect[core.Merge](w)
	w.now = w.now.Add(time.Minute)
	w.must(core.Engine(), core.TimerFired{Timer: "due"})
	if d := w.propose(work("")); d.Status != core.DelegationRefused || w.code() != core.RefusedDuplicate || !strings.Contains(d.Reason, "as t1, which has ended") {
		t.Fatalf("%+v", d)
	}
	w.rest()
	if d := w.propose(work("")); d.Status != core.DelegationOpen {
		t.Errorf("another turn may: %+v", d)
	}
}

// TestAManagerThatOnlyPlansIsStopped: words are no progress.
func TestAManagerThatOnlyPlansIsStopped(t *testing.T) {
	w := steady(t)
	for range 2 * w.run.Limits.Sterile {
		if w.run.Pause != nil {
			break
		}
		w.planned(core.Step{ID: "1", Title: "one"})
		w.rest()
		w.now = w.now.Add(time.Hour)
		w.must(core.Engine(), core.TimerFired{Timer: "due"})
	}
	if w.run.Pause == nil || w.run.Pause.Code != core.PauseSterile {
		t.Fatalf("%+v after %d turns", w.run.Pause, w.run.Manager().Round)
	}
	w.must(core.Engine(), core.AttemptExited{Attempt: w.turn(), Kind: core.ExitFinished})
	w.must(core.Person("me"), core.RunResumed{})
	if !w.run.InTurn() {
		t.Error("the manager is not woken")
	}
}

// TestAPauseThatStoodInTheWay: what a turn could not do, it is woken for again.
func TestAPauseThatStoodInTheWay(t *testing.T) {
	w := steady(t)
	w.planned()
	attempt := w.turn()
	w.must(core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "lunch", Advice: core.Advice{Hint: "resume"}})
	if err := w.delegate(attempt, work("")); core.CodeOf(err) != core.CodeConflict {
		t.Fatalf("%v", err)
	}
	w.rest()
	w.must(core.Person("me"), core.RunResumed{})
	if got := kinds(w.run.Manager().Turn.Wakes); got != "person" || w.run.Manager().Round != 2 {
		t.Errorf("turn %d for %q", w.run.Manager().Round, got)
	}
}

// TestASkippedLineEndsItsDelegation, and the manager hears of it.
func TestASkippedLineEndsItsDelegation(t *testing.T) {
	w := steady(t)
	w.planned()
	w.propose(work("api"))
	w.must(core.Engine(), core.AttemptExited{Attempt: w.run.Task("api.r1.t1").Last().ID, Kind: core.ExitLost})
	w.must(core.Person("me"), core.StageSkipped{Stage: "api", Source: core.SkipPerson, Reason: "not needed"})
	if d := w.run.Delegation("t1"); d.Status != core.DelegationFailed || !strings.Contains(d.Reason, "not needed") || kinds(w.run.Managing.Wakes) != "task" {
		t.Errorf("%+v, wakes %v", d, w.run.Managing.Wakes)
	}
}

func TestAProjectChangesHands(t *testing.T) {
	me, pause := core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "r", Advice: core.Advice{Hint: "resume"}}
	t.Run("refused while an agent runs", func(t *testing.T) {
		w := steady(t)
		err := w.try(me, core.PlaybookSwapped{Playbook: playbook("rules")})
		if core.CodeOf(err) != core.CodeConflict || !strings.Contains(err.Error(), "something is under way") {
			t.Errorf("%v", err)
		}
	})
	t.Run("refused with an open line", func(t *testing.T) {
		w := steady(t)
		w.planned()
		w.propose(work("api"))
		w.worked()
		w.rest()
		w.must(me, pause)
		w.rest()
		err := w.try(me, core.PlaybookSwapped{Playbook: playbook("rules")})
		if core.CodeOf(err) != core.CodeConflict || !strings.Contains(err.Error(), "feature/x-api-1 is neither merged nor given up") {
			t.Errorf("%v", err)
		}
	})
	t.Run("refused to what drives no project", func(t *testing.T) {
		w := steady(t)
		waves := core.Playbook{Kind: "waves", Project: &core.Management{Waves: &core.WaveRules{}}}
		for _, p := range []core.Playbook{{Kind: "phases"}, waves} {
			if err := w.try(me, core.PlaybookSwapped{Playbook: p}); core.CodeOf(err) != core.CodeInvalid {
				t.Errorf("%s: %v", p.Kind, err)
			}
		}
	})
	t.Run("there and back", func(t *testing.T) {
		w := steady(t)
		w.planned(core.Step{ID: "1", Title: "one"}, core.Step{ID: "2", Title: "two", Done: true})
		w.must(me, pause)
		w.rest()
		w.must(me, core.PlaybookSwapped{Playbook: playbook("rules")})
		w.must(me, core.RunResumed{})
		if s := w.run.Stage("step-1"); s == nil || s.Status != core.StageOpen || w.run.InTurn() {
			t.Fatalf("the rules do not go on\n%s", w.account())
		}
		task := w.run.Task("step-1.r1.code")
		left := w.deliver(task, task.Last())
		w.must(me, pause)
		w.must(core.Engine(), core.AttemptExited{Attempt: task.Last().ID, Kind: core.ExitFinished, Delivery: left})
		w.must(me, core.PlaybookSwapped{Playbook: playbook("manager")})
		if !slices.ContainsFunc(w.run.Keep, func(k core.HoldRef) bool { return k.Commit == left.Commit }) {
			t.Errorf("what the rules' agent left is not kept: %+v", w.run.Keep)
		}
		w.must(me, core.RunResumed{})
		if !w.run.InTurn() || kinds(w.run.Manager().Turn.Wakes) != "epic" {
			t.Fatalf("the manager is not woken\n%s", w.account())
		}
		if d := w.propose(of(core.KindDiscard, "step-1")); d.Status != core.DelegationDone {
			t.Errorf("%+v", d)
		}
	})
}

// TestTheEndOfWorkTellsWhatItTook: and not what others took on the same line.
func TestTheEndOfWorkTellsWhatItTook(t *testing.T) {
	w := steady(t)
	w.planned()
	for cost, p := range []core.Proposal{work("api"), of(core.KindFix, "api"), of(core.KindFix, "api")} { // the first does not say
		d := w.propose(p)
		w.rest()
		task := w.run.Task(d.Task)
		a := task.Last()
		w.must(core.Engine(), core.AttemptStarted{Attempt: a.ID, Agent: "x"})
		w.must(core.Engine(), core.AttemptExited{
			Attempt: a.ID, Kind: core.ExitFinished, Delivery: w.deliver(task, a), Duration: time.Minute, Usage: core.Usage{CostUSD: float64(cost)},
		})
		effect[core.Verify](w)
		wakes := w.run.Manager().Turn.Wakes
		if len(wakes) != 1 || wakes[0].Elapsed != time.Minute || wakes[0].CostUSD != float64(cost) || wakes[0].Unpriced != max(1-cost, 0) {
			t.Errorf("%s: %+v", d.ID, wakes)
		}
	}
}

// TestWhatAManagerWantsCheckedIsChecked: its commands and documents are added to what must hold of any work.
func TestWhatAManagerWantsCheckedIsChecked(t *testing.T) {
	w := steady(t)
	w.planned()
	wanted := work("")
	wanted.Checks, wanted.Outputs = []string{"make lint", "make docs"}, []string{"notes.md"}
	d := w.propose(wanted)
	for _, s := range w.run.Stages {
		for _, task := range s.Tasks {
			if task.Delegation != d.ID {
				continue
			}
			var checks []string
			for _, c := range task.Done.Of {
				checks = append(checks, c.Run+c.Name)
			}
			for _, want := range []string{"make lint", "make docs", "notes.md"} {
				if !slices.Contains(checks, want) {
					t.Errorf("%s is not checked, only %q", want, checks)
				}
			}
			return
		}
	}
	t.Fatalf("nobody works on it: %+v\n%s", d, w.account())
}
