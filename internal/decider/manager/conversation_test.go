package manager_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestADefaultAnswersInAPausedRun(t *testing.T) {
	w := steady(t)
	w.call(core.ToolQuestion, question("Which colour?", "blue", time.Hour))
	w.rest()
	if w.run.Pause == nil || w.run.Pause.Code != core.PauseQuestion || !slices.Equal(w.run.Pause.Choices, w.run.Questions[0].Ask().Choices) {
		t.Fatalf("%+v", w.run.Pause)
	}
	if due := core.Timers(w.run); len(due) != 1 || due[0].Sub(w.now) != time.Hour {
		t.Fatalf("due %v", due)
	}
	w.now = w.now.Add(time.Hour)
	w.must(core.Engine(), core.TimerFired{Timer: "due"})
	if w.run.Status != core.StatusActive || !w.run.Answers[0].Default || kinds(w.run.Manager().Turn.Wakes) != "answer" {
		t.Errorf("%s, answers %+v", w.run.Status, w.run.Answers)
	}
	err := w.tool(w.turn(), core.ToolQuestion, question("which  COLOUR", "", 0))
	if err == nil || !strings.Contains(err.Error(), "the answer was: blue") {
		t.Errorf("asked twice: %v", err)
	}
}

func TestTwoQuestionsAreAskedOneAfterTheOther(t *testing.T) {
	w := steady(t)
	for _, text := range []string{"one?", "two?"} {
		w.call(core.ToolQuestion, question(text, "", 0))
	}
	w.rest()
	w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: "1"})
	if w.run.Pause == nil || !strings.Contains(w.run.Pause.Reason, "two?") || w.run.InTurn() {
		t.Fatalf("%+v", w.run.Pause)
	}
	w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: "2"})
	if got := kinds(w.run.Manager().Turn.Wakes); w.run.Pause != nil || got != "answer answer" {
		t.Errorf("woken for %q", got)
	}
}

// TestAnOldAnswerStillHolds: however many were answered since, a question is
// asked once.
func TestAnOldAnswerStillHolds(t *testing.T) {
	w := steady(t)
	for i := range 70 {
		w.call(core.ToolQuestion, question(fmt.Sprint("number ", i, "?"), "", 0))
		w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: strings.Repeat("long ", 1000)})
	}
	err := w.tool(w.turn(), core.ToolQuestion, question("Number 3", "", 0))
	if core.CodeOf(err) != core.CodeConflict || !strings.Contains(err.Error(), "the answer was: long") || len(err.Error()) > 300 {
		t.Errorf("%v", err)
	}
}

// TestAnAnswerDoesNotUndoAPersonsStop: who stopped the run lets it go on.
func TestAnAnswerDoesNotUndoAPersonsStop(t *testing.T) {
	w := steady(t)
	w.call(core.ToolQuestion, question("why?", "because", time.Hour))
	w.rest()
	w.must(core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "stop", Advice: core.Advice{Hint: "resume"}, Stop: true})
	w.now = w.now.Add(2 * time.Hour)
	w.must(core.Engine(), core.TimerFired{Timer: "due"})
	if len(w.run.Questions) != 0 || w.run.Status != core.StatusPaused {
		t.Fatalf("%s with %d questions", w.run.Status, len(w.run.Questions))
	}
	w.must(core.Person("me"), core.RunResumed{})
	if !w.run.InTurn() {
		t.Error("the answer woke nobody")
	}
}

func TestAWordAtTheGateTakesThePublicationBack(t *testing.T) {
	w := published(t)
	w.must(core.Person("me"), say("wait, greet in German"))
	if w.run.Gated() != nil || w.run.Status != core.StatusActive {
		t.Fatalf("%s", w.run.Status)
	}
	if d := w.run.Delegation("t1"); d.Status != core.DelegationFailed || !strings.Contains(d.Reason, "a person spoke") {
		t.Errorf("%+v", d)
	}
	if got := kinds(w.run.Manager().Turn.Wakes); got != "message task" {
		t.Errorf("woken for %q", got)
	}
}

// TestNobodyIsAskedToPublishMeanwhile: what is not the last word is not put
// before a person.
func TestNobodyIsAskedToPublishMeanwhile(t *testing.T) {
	w := steady(t)
	w.planned()
	w.propose(of(core.KindPR, ""))
	w.propose(work(""))
	w.call(core.ToolQuestion, question("really?", "", 0))
	w.rest()
	if w.run.Pause == nil || w.run.Pause.Code != core.PauseQuestion {
		t.Fatalf("%+v", w.run.Pause)
	}
	w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: "yes"})
	w.rest()
	w.worked()
	effect[core.Merge](w)
	if w.run.Status != core.StatusActive || !w.run.InTurn() {
		t.Fatalf("%s", w.run.Status)
	}
	w.rest()
	effect[core.PreparePublish](w)
	if s := w.run.Gated(); s == nil || s.Gate.Subject.Commit != w.run.Head {
		t.Errorf("nobody is asked\n%s", w.account())
	}
}

// TestAWishStaysUntilItIsActedUpon: a turn that did nothing has not taken it in.
func TestAWishStaysUntilItIsActedUpon(t *testing.T) {
	w := published(t)
	w.must(core.Person("me"), core.ChangesRequested{ID: "c", Text: "in German"})
	w.rest()
	w.now = w.now.Add(time.Hour)
	w.must(core.Engine(), core.TimerFired{Timer: "due"})
	if got := kinds(w.run.Manager().Turn.Wakes); got != "changes watchdog" {
		t.Fatalf("woken for %q", got)
	}
	w.propose(work(""))
	w.rest()
	if len(w.run.Driving.Changes) != 0 {
		t.Error("the wish was acted upon and is still there")
	}
}

// TestAWorkersWordsAreNoneOfTheManagers: what a worker says during a turn neither
// uses up the manager's messages nor passes for something that it did.
func TestAWorkersWordsAreNoneOfTheManagers(t *testing.T) {
	w := steady(t)
	w.planned(core.Step{ID: "1", Title: "one"})
	d := w.propose(work(""))
	w.rest()
	w.must(core.Person("me"), core.ChangesRequested{ID: "mine", Text: "in green"})
	worker := w.run.Task(d.Task).Last().ID
	w.must(core.Engine(), core.AttemptStarted{Attempt: worker, Agent: "x"})
	for range core.MaxMessages {
		w.must(core.Actor{Kind: core.ActorAgent, ID: worker}, core.MessageSent{Voice: core.VoiceRed, Text: "I am at it"})
	}
	if turn := w.run.Manager().Turn; w.turn() == "" || turn.Calls != 0 || len(turn.Deeds) != 0 {
		t.Fatalf("the turn: %+v", turn)
	}
	w.rest()
	if len(w.run.Driving.Changes) != 1 {
		t.Errorf("the manager did nothing about what is to change, and it is gone")
	}
	w.must(core.Person("me"), say("well?"))
	w.call(core.ToolMessage, core.MessageSent{Voice: core.VoiceGreen, Text: "yes"})
}
