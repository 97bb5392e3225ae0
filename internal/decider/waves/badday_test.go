package waves_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// blocks answers as a worker that cannot go on before its question is answered.
func blocks(id string, q core.Asked) func(*world, *core.Delegated) core.WorkerOutput {
	return func(w *world, d *core.Delegated) core.WorkerOutput {
		if d.Brief.ID == id && w.run.Answered(core.QuestionID("r", q.Text)) == nil {
			return core.WorkerOutput{Status: core.OutputBlocked, Blocking: []core.Asked{q}}
		}
		return core.WorkerOutput{Status: core.OutputCompleted, Coverage: core.Coverage{Met: []string{"works"}}}
	}
}

func (w *world) objected(want ...string) {
	w.t.Helper()
	got := strings.Join(w.run.Waves.Objections, "; ")
	for _, text := range want {
		if !strings.Contains(got, text) {
			w.t.Fatalf("the planner is told %q, not %q\n%s", got, text, w.account())
		}
	}
}

// TestAnswersAreGivenOnce: another answer is refused with the first, and with what
// can be done in waves, where nobody reads messages.
func TestAnswersAreGivenOnce(t *testing.T) {
	q := core.Asked{Text: "Which colour?", About: "colour"}
	w := steady(t, core.WritesArtifacts, further(brief("a")), further(), finish())
	w.work = blocks("a", q)
	w.play()
	id := w.run.Questions[0].ID
	w.must(core.Person("me"), core.QuestionAnswered{ID: id, Text: "blue"})
	err := w.try(core.Person("you"), core.QuestionAnswered{ID: id, Text: "red"})
	if core.CodeOf(err) != core.CodeConflict || !strings.Contains(err.Error(), "was answered before: blue") {
		t.Fatalf("%v", err)
	}
	if hint := wording.Hint(err); !strings.Contains(hint, "stellwerk cancel r") || strings.Contains(hint, "stellwerk say") {
		t.Errorf("the hint is of no use here: %s", hint)
	}
	if w.play(); w.run.Status != core.StatusCompleted || len(w.run.Answers) != 1 || w.run.Waves.Fact("colour").Content != "blue" {
		t.Errorf("%s %+v", w.run.Status, w.run.Answers)
	}
}

// TestThePlannerCannotContradictAPerson: neither by another answer, nor by a fact,
// nor by asking once more; it is told what holds.
func TestThePlannerCannotContradictAPerson(t *testing.T) {
	q := core.Asked{Text: "Which colour?", About: "colour"}
	id := core.QuestionID("r", q.Text)
	w := steady(t, core.WritesArtifacts, further(brief("a")), further(),
		core.PlannerDecision{Decision: core.CourseContinue, Reason: "red is nicer", Answers: []core.Answering{{Question: id, Answer: "red"}},
			Facts: []core.Claimed{{Key: "Colour", Content: "red"}}},
		core.PlannerDecision{Decision: core.CourseAsk, Reason: "sure?", Questions: []core.Asked{{Text: "which colour"}}},
		finish(),
	)
	w.work = blocks("a", q)
	w.play()
	w.must(core.Person("me"), core.QuestionAnswered{ID: id, Text: "blue"})
	all := ""
	for len(core.Effects(w.run)) > 0 {
		w.once()
		all += strings.Join(w.run.Waves.Objections, "; ") + "\n"
	}
	for _, want := range []string{"question " + id + " was answered before, and that answer holds: blue", "Colour is what a person answered, and that holds: blue", `"which colour" was asked before, and the answer holds: blue`} {
		if !strings.Contains(all, want) {
			t.Errorf("the planner is not told %q: %s", want, all)
		}
	}
	if f := w.run.Waves.Fact("colour"); w.run.Status != core.StatusCompleted || f.Content != "blue" || f.Origin != core.OriginPerson {
		t.Errorf("%s: %+v\n%s", w.run.Status, w.run.Waves.Pool, w.account())
	}
}

// TestNothingIsDroppedSilently: a planner that finishes without a word on what is
// open is told what that is, however often it tries, and then a person is.
func TestNothingIsDroppedSilently(t *testing.T) {
	q := core.Asked{Text: "Which colour?"}
	w := steady(t, core.WritesArtifacts, further(brief("a"), brief("b", "a")), finish())
	w.work = blocks("a", q)
	w.play()
	w.objected("delegation a is blocked: let it end, or drop it with the reason", "delegation b is waiting", "is open: Which colour?")
	if w.run.Status == core.StatusCompleted || w.run.Pause == nil || w.run.Pause.Code != core.PauseQuestion || w.run.Waves.Work("a").Status != core.DelegationBlocked {
		t.Errorf("%s %+v\n%s", w.run.Status, w.run.Pause, w.account())
	}
}

// TestBlockingQuestionsKeepFromFinishing until they are answered.
func TestBlockingQuestionsKeepFromFinishing(t *testing.T) {
	q := core.Asked{Text: "Which colour?"}
	id := core.QuestionID("r", q.Text)
	w := steady(t, core.WritesArtifacts, further(brief("a")), finish(), finish())
	w.work = blocks("a", q)
	w.play()
	w.objected("question " + id + " is open")
	w.must(core.Person("me"), core.QuestionAnswered{ID: id, Text: "blue"})
	if w.play(); w.run.Status != core.StatusCompleted || w.run.Waves.Work("a").Status != core.DelegationDone {
		t.Errorf("%s\n%s", w.run.Status, w.account())
	}
}

// TestAPlannerThatLoopsPauses: whatever it repeats, and with the reason it was
// given.
func TestAPlannerThatLoopsPauses(t *testing.T) {
	for name, test := range map[string]struct {
		again core.PlannerDecision
		code  core.PauseCode
		says  string
	}{
		"finishing over what is unmet": {finish(), core.PauseBarren, "the criterion is unmet: a: works"},
		"the same work":                {further(brief("c")), core.PauseQuestion, "refused (duplicate)"},
		"dropping what is over": {core.PlannerDecision{Decision: core.CourseContinue, Reason: "away", Dropped: []core.Dropped{{ID: "b", Reason: "away"}}},
			core.PauseBarren, "delegation b cannot be dropped"},
		"answering what nobody asked": {core.PlannerDecision{Decision: core.CourseContinue, Reason: "so", Answers: []core.Answering{{Question: "q-1", Answer: "x"}}},
			core.PauseBarren, "no open question q-1"},
	} {
		t.Run(name, func(t *testing.T) {
			w := steady(t, core.WritesArtifacts)
			first, rounds := true, 0
			w.plan = func(*world) core.PlannerDecision {
				if first {
					first = false
					done := brief("b")
					done.Task = "do c"
					return further(brief("a"), done)
				}
				if rounds++; rounds > 2*core.MaxIdle {
					w.t.Fatalf("nobody stops it\n%s", w.account())
				}
				return test.again
			}
			w.work = func(_ *world, d *core.Delegated) core.WorkerOutput {
				if d.Brief.ID == "a" {
					return core.WorkerOutput{Status: core.OutputPartial, Coverage: core.Coverage{Unmet: []string{"works"}}}
				}
				return core.WorkerOutput{Status: core.OutputCompleted}
			}
			w.play()
			if p := w.run.Pause; p == nil || p.Code != test.code || !strings.Contains(p.Reason, test.says) || p.Hint == "" && len(p.Choices) == 0 {
				t.Errorf("%+v\n%s", p, w.account())
			}
		})
	}
}

// TestAnInputOfALaterWave: what nothing provides yet is refused with what there is,
// and admitted once another wave has brought it.
func TestAnInputOfALaterWave(t *testing.T) {
	reader, writer := brief("reader"), brief("writer")
	reader.Requires, writer.Outputs = []string{"schema.md"}, []string{"schema.md"}
	w := steady(t, core.WritesArtifacts, further(reader, brief("other")), further(writer), further(reader), finish())
	refused := ""
	for len(core.Effects(w.run)) > 0 {
		w.once()
		for _, no := range w.run.Waves.Refused {
			refused = no.ID + " " + no.Code + ": " + no.Reason
		}
	}
	if w.run.Status != core.StatusCompleted || w.begun() != "other writer reader" {
		t.Errorf("%s, begun %s\n%s", w.run.Status, w.begun(), w.account())
	}
	if !strings.Contains(refused, "reader missing_input") || !strings.Contains(refused, "schema.md") {
		t.Errorf("%q", refused)
	}
}

// TestTheSameTwice: of what is wished for twice, in one wave or in two, one is done.
func TestTheSameTwice(t *testing.T) {
	twin, later := brief("twin"), brief("later")
	twin.Task, later.Task = "Do A ", "do a."
	w := steady(t, core.WritesArtifacts, further(brief("a"), twin), further(later, brief("more")), finish())
	var refused []string
	for len(core.Effects(w.run)) > 0 {
		w.once()
		for _, no := range w.run.Waves.Refused {
			refused = append(refused, no.ID+" "+no.Code)
		}
	}
	if w.begun() != "a more" || w.run.Status != core.StatusCompleted {
		t.Errorf("%s, begun %s\n%s", w.run.Status, w.begun(), w.account())
	}
	if all := strings.Join(refused, ", "); !strings.Contains(all, "twin duplicate") || !strings.Contains(all, "later duplicate") {
		t.Errorf("%s", all)
	}
}

// TestTenThousandDelegations are refused, all of them and each with the reason, and
// the run goes on.
func TestTenThousandDelegations(t *testing.T) {
	var flood []core.Brief
	for i := range 10_000 {
		flood = append(flood, brief(fmt.Sprint("b", i)))
	}
	w := steady(t, core.WritesArtifacts, further(flood...), further(brief("a")), finish()).play()
	refused := 0
	for _, kind := range w.types() {
		if kind == core.TypeBriefRefused {
			refused++
		}
	}
	if w.run.Status != core.StatusCompleted || w.begun() != "a" || refused != len(flood) {
		t.Errorf("%s, %d refused, begun %s", w.run.Status, refused, w.begun())
	}
}

// TestWhoComesAfterSeesTheCode: with code, a delegation begins on what it depends on.
func TestWhoComesAfterSeesTheCode(t *testing.T) {
	w := steady(t, core.WritesCode, further(brief("a"), brief("b"), brief("c", "a")), finish())
	for len(core.Effects(w.run)) > 0 {
		w.once()
		if s := w.run.Stage("c"); s != nil && w.run.Stage("a").Merged == "" {
			t.Fatalf("c begins at %s before a is merged\n%s", s.Base, w.account())
		}
	}
	if w.begun() != "a b c" || w.run.Status != core.StatusAwaiting {
		t.Errorf("%s, begun %s", w.run.Status, w.begun())
	}
}

// TestWhatCannotBeMergedIsDoneAgain: what was worked on and is not in the run's branch
// is told to the planner, who cannot finish without it.
func TestWhatCannotBeMergedIsDoneAgain(t *testing.T) {
	again := brief("again")
	again.Replaces = []string{"a", "b"}
	w := steady(t, core.WritesCode, further(brief("a"), brief("b", "a")), finish(), further(again), finish())
	w.unmergeable = "a"
	w.play()
	d := w.run.Waves.Work("a")
	if w.run.Status != core.StatusAwaiting || d.Status != core.DelegationFailed || !strings.Contains(d.Reason, "could not be merged") || !w.has(core.TypeCourseRefused) {
		t.Errorf("%s: a is %s (%s)\n%s", w.run.Status, d.Status, d.Reason, w.account())
	}
	if w.run.Waves.Work("b").Status != core.DelegationFailed {
		t.Errorf("b began without what it depends on\n%s", w.account())
	}
}

// TestWhatPassedIsTold: a verdict without the words that it is about would leave the
// run waiting for nothing.
func TestWhatPassedIsTold(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(brief("a")))
	for _, task := range []string{"planner.r1", "a.r1"} {
		for w.run.Task(task) == nil || w.run.Task(task).Status != core.TaskVerifying {
			w.once()
		}
		err := w.try(core.Engine(), core.VerifyConcluded{Task: task, Attempt: task + ".a1", Passed: true})
		if core.CodeOf(err) != core.CodeUnlawful || !strings.Contains(err.Error(), "what it said is not told") {
			t.Errorf("%s: %v", task, err)
		}
	}
}
