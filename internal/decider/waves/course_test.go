package waves_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// steady is a world in which nothing goes wrong by chance, and whose planner
// decides what it is handed, one decision after the other.
func steady(t *testing.T, writes core.Writes, decisions ...core.PlannerDecision) *world {
	t.Helper()
	w := newWorld(t, func(string, int) int { return 0 })
	w.kind = true
	next := 0
	w.plan = func(w *world) core.PlannerDecision {
		if next >= len(decisions) {
			w.t.Fatalf("the planner is asked once more than expected\n%s", w.account())
		}
		next++
		return decisions[next-1]
	}
	return w.begin(writes)
}

// play goes on until the run ends or waits for a person.
func (w *world) play() *world {
	w.t.Helper()
	for i := 0; len(core.Effects(w.run)) > 0; i++ {
		if i > 500 {
			w.t.Fatalf("no end\n%s", w.account())
		}
		w.once()
	}
	return w
}

func brief(id string, after ...string) core.Brief {
	return core.Brief{ID: id, Agent: "dev", Task: "do " + id, Criteria: []core.Criterion{{Text: "works"}}, DependsOn: after}
}

func further(briefs ...core.Brief) core.PlannerDecision {
	return core.PlannerDecision{Decision: core.CourseContinue, Reason: "more", Delegations: briefs}
}

func finish() core.PlannerDecision {
	return core.PlannerDecision{Decision: core.CourseFinish, Reason: "done"}
}

// begun are the delegations in the order in which they were given to agents.
func (w *world) begun() string {
	var ids []string
	for _, e := range w.events {
		if e.Type != core.TypeAttemptRequested {
			continue
		}
		body, err := core.Decode(e)
		if err != nil {
			w.t.Fatalf("%v", err)
		}
		b, _ := body.(core.AttemptRequested)
		if id, _, _ := strings.Cut(b.Task, "."); id != core.PlannerStage {
			ids = append(ids, id)
		}
	}
	return strings.Join(ids, " ")
}

// refusals are all that admission refused.
func (w *world) refusals() []core.BriefRefusal {
	var all []core.BriefRefusal
	for _, e := range w.events {
		body, err := core.Decode(e)
		if err != nil {
			w.t.Fatalf("%v", err)
		}
		if b, ok := body.(core.BriefRefused); ok {
			all = append(all, b.BriefRefusal)
		}
	}
	return all
}

// TestAnAnswerWhileAWaveIsClosed: what it sets free waits for the next wave, for
// the planner has not been told of it.
func TestAnAnswerWhileAWaveIsClosed(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(brief("a")), further(), finish())
	w.work = func(_ *world, d *core.Delegated) core.WorkerOutput {
		if d.Answer == nil {
			return core.WorkerOutput{Status: core.OutputBlocked, Blocking: []core.Asked{{Text: "Why?"}}}
		}
		return core.WorkerOutput{Status: core.OutputCompleted, Coverage: core.Coverage{Met: []string{"works"}}}
	}
	for len(w.run.Questions) == 0 || !w.run.Closing() {
		w.once()
	}
	w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: "because"})
	if w.begun() != "a" {
		t.Fatalf("it goes on while the wave is closed\n%s", w.account())
	}
	w.play()
	if w.run.Status != core.StatusCompleted || w.begun() != "a a" || w.run.Waves.N != 2 {
		t.Fatalf("%s, wave %d, %s\n%s", w.run.Status, w.run.Waves.N, w.begun(), w.account())
	}
}

// TestWhoIsAlwaysBlockedIsGivenUp: an answer that changes nothing is not given for
// ever.
func TestWhoIsAlwaysBlockedIsGivenUp(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(brief("a")), further(), finish(), further(instead("a")), finish())
	w.work = func(_ *world, d *core.Delegated) core.WorkerOutput {
		if d.Brief.ID != "a" {
			return core.WorkerOutput{Status: core.OutputCompleted}
		}
		return core.WorkerOutput{Status: core.OutputBlocked, Blocking: []core.Asked{{Text: "Why?"}}}
	}
	w.play()
	w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: "because"})
	w.play()
	if d := w.run.Waves.Work("a"); !w.has(core.TypeCourseRefused) || w.run.Status != core.StatusCompleted || d.Status != core.DelegationFailed || !strings.Contains(d.Reason, "blocked 5 times") {
		t.Errorf("%s: %s %s", w.run.Status, d.Status, d.Reason)
	}
}

func TestADiamond(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(brief("bottom", "left", "right"), brief("left", "top"), brief("right", "top"), brief("top")), finish()).play()
	if w.run.Status != core.StatusCompleted || w.begun() != "top left right bottom" {
		t.Errorf("%s, begun %s", w.run.Status, w.begun())
	}
	if len(w.run.Waves.Ends) != 2 || w.run.Waves.Ends[1].Compact == "" || w.run.Waves.N != 1 {
		t.Errorf("%+v", w.run.Waves.Ends)
	}
}

func TestOneWaitsForAnAnswerAndTheOthersGoOn(t *testing.T) {
	w := steady(t, core.WritesArtifacts,
		further(brief("free"), brief("stuck"), brief("after", "stuck")),
		further(brief("more")), // nothing is said of what is stuck: it stays
		further(),
		finish(),
	)
	w.work = func(w *world, d *core.Delegated) core.WorkerOutput {
		out := core.WorkerOutput{Status: core.OutputCompleted, Coverage: core.Coverage{Met: []string{"works"}}}
		if d.Brief.ID == "stuck" && len(w.run.Answers) == 0 {
			out.Status, out.Blocking = core.OutputBlocked, []core.Asked{{Text: "Which colour?", About: "colour"}}
		}
		return out
	}
	w.play()
	if w.run.Pause == nil || w.run.Pause.Code != core.PauseQuestion || !strings.Contains(w.run.Pause.Reason, "stuck asks: Which colour?") {
		t.Fatalf("%+v\n%s", w.run.Pause, w.account())
	}
	if w.run.Waves.Work("more").Status != core.DelegationDone || w.run.Waves.Work("after").Status != core.DelegationWaiting {
		t.Errorf("%s", w.account())
	}
	w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: "blue"})
	w.play()
	if w.run.Status != core.StatusCompleted || w.begun() != "free stuck more stuck after" {
		t.Errorf("%s, begun %s", w.run.Status, w.begun())
	}
	if f := w.run.Waves.Fact("colour"); f == nil || f.Content != "blue" || f.Origin != core.OriginPerson {
		t.Errorf("what the person said is not known: %+v", w.run.Waves.Pool)
	}
}

func TestThePlannerAnswersFromWhatIsKnown(t *testing.T) {
	asked := core.Asked{Text: "Which colour?"}
	id := core.QuestionID("r", asked.Text)
	w := steady(t, core.WritesArtifacts, further(brief("a")),
		core.PlannerDecision{Decision: core.CourseContinue, Reason: "known", Answers: []core.Answering{{Question: id, Answer: "blue"}}},
		core.PlannerDecision{Decision: core.CourseFinish, Reason: "done", Answers: []core.Answering{{Question: id, Answer: "red"}, {Question: "q-none", Answer: "x"}}},
	)
	w.work = func(w *world, _ *core.Delegated) core.WorkerOutput {
		if len(w.run.Answers) == 0 {
			return core.WorkerOutput{Status: core.OutputBlocked, Blocking: []core.Asked{asked}}
		}
		return core.WorkerOutput{Status: core.OutputCompleted}
	}
	w.play()
	if w.run.Status != core.StatusCompleted || len(w.run.Answers) != 1 || w.run.Answers[0].Text != "blue" || !w.run.Answers[0].Planner {
		t.Fatalf("%s %+v\n%s", w.run.Status, w.run.Answers, w.account())
	}
	if notes := strings.Join(w.run.Waves.Objections, "; "); !strings.Contains(notes, "that answer holds: blue") || !strings.Contains(notes, "no open question q-none") {
		t.Errorf("%q", notes)
	}
}

func TestRefusedThreeTimesAsksAPerson(t *testing.T) {
	flawed := brief("x")
	flawed.Agent = "nobody"
	again := func(id string) core.PlannerDecision { b := flawed; b.ID = id; return further(b) }
	w := steady(t, core.WritesArtifacts, again("x1"), again("x2"), again("x3"), finish()).play()
	if w.run.Pause == nil || w.run.Pause.Code != core.PauseQuestion || !strings.Contains(w.run.Pause.Reason, "unknown_role") {
		t.Fatalf("%+v\n%s", w.run.Pause, w.account())
	}
	if no := w.run.Waves.Refused; len(no) != 1 || no[0].Code != "unknown_role" || !strings.Contains(no[0].Reason, "dev, scout") {
		t.Errorf("%+v", no)
	}
	w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: "leave it"})
	if w.play(); w.run.Status != core.StatusCompleted {
		t.Errorf("%s", w.run.Status)
	}
}

func TestWhatIsUnmetCannotBeFinishedAway(t *testing.T) {
	rest := brief("rest")
	rest.Replaces = []string{"a"}
	w := steady(t, core.WritesArtifacts, further(brief("a")), finish(), further(rest), finish())
	w.work = func(_ *world, d *core.Delegated) core.WorkerOutput {
		if d.Brief.ID == "a" {
			return core.WorkerOutput{Status: core.OutputPartial, Coverage: core.Coverage{Unmet: []string{"works"}}}
		}
		return core.WorkerOutput{Status: core.OutputCompleted}
	}
	w.play()
	if w.run.Status != core.StatusCompleted || !w.has(core.TypeCourseRefused) {
		t.Errorf("%s\n%s", w.run.Status, w.account())
	}
}

func TestAPlannerThatGivesUpFailsTheRun(t *testing.T) {
	w := steady(t, core.WritesArtifacts, core.PlannerDecision{Decision: core.CourseAbort, Reason: "there is no such thing"}).play()
	if w.run.Status != core.StatusFailed || !strings.Contains(w.run.EndReason, "there is no such thing") {
		t.Errorf("%s %q", w.run.Status, w.run.EndReason)
	}
}

func TestAskWaitsForPeople(t *testing.T) {
	w := steady(t, core.WritesArtifacts, core.PlannerDecision{Decision: core.CourseAsk, Reason: "unclear", Questions: []core.Asked{{Text: "One?"}, {Text: "Two?"}}}, finish()).play()
	for _, want := range []string{"One?", "Two?"} {
		if w.run.Pause == nil || !strings.Contains(w.run.Pause.Reason, "the planner asks: "+want) {
			t.Fatalf("%+v", w.run.Pause)
		}
		w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: "yes"})
		w.play()
	}
	if w.run.Status != core.StatusCompleted {
		t.Errorf("%s", w.run.Status)
	}
}

func TestDecisionsThatLeadNowherePause(t *testing.T) {
	nothing := core.PlannerDecision{Decision: core.CourseContinue, Reason: "hm"}
	w := steady(t, core.WritesArtifacts, nothing, nothing, nothing, finish()).play()
	if w.run.Pause == nil || w.run.Pause.Code != core.PauseBarren {
		t.Fatalf("%+v", w.run.Pause)
	}
	w.must(core.Person("me"), core.RunResumed{})
	if w.play(); w.run.Status != core.StatusCompleted {
		t.Errorf("%s", w.run.Status)
	}
}

func TestTheNumberOfWavesIsBounded(t *testing.T) {
	w := steady(t, core.WritesArtifacts)
	w.plan = func(w *world) core.PlannerDecision {
		w.briefs++
		return further(brief(fmt.Sprint("b", w.briefs)))
	}
	w.run.Playbook.Project.Waves.Waves = 3
	w.play()
	if w.run.Pause == nil || w.run.Waves.N != 3 || !strings.Contains(w.run.Pause.Reason, "no more than 3 waves") {
		t.Errorf("wave %d, %+v", w.run.Waves.N, w.run.Pause)
	}
}

// TestTheLastWaveGoesOnAfterAnAnswer: what was blocked in the last wave that is
// allowed, and what waits for it, is done in that wave, whenever the answer comes.
func TestTheLastWaveGoesOnAfterAnAnswer(t *testing.T) {
	for name, while := range map[string]func(w *world) bool{
		"paused":                       func(w *world) bool { return w.run.Pause == nil },
		"while the planner looks":      func(w *world) bool { return len(w.run.Questions) == 0 || !w.run.Closing() },
		"while another is at work":     func(w *world) bool { return len(w.run.Questions) == 0 },
		"by the planner, from a fact":  nil,
		"by nobody, so by its default": nil,
	} {
		t.Run(name, func(t *testing.T) {
			question, second := core.Asked{Text: "Why?"}, further()
			switch {
			case strings.HasPrefix(name, "by nobody"):
				question.Default, question.After = "so", "10h"
			case strings.HasPrefix(name, "by the planner"):
				second.Answers = []core.Answering{{Question: core.QuestionID("r", "Why?"), Answer: "so"}}
			}
			decisions := []core.PlannerDecision{further(brief("a"), brief("b", "a"), brief("c")), second, finish()}
			if strings.HasPrefix(name, "while another") { // the wave is not over when it goes on
				decisions = slices.Delete(decisions, 1, 2)
			}
			w := steady(t, core.WritesCode, decisions...)
			w.run.Playbook.Project.Waves.Waves = 1
			w.work = func(w *world, d *core.Delegated) core.WorkerOutput {
				if d.Brief.ID == "a" && len(w.run.Answers) == 0 {
					return core.WorkerOutput{Status: core.OutputBlocked, Blocking: []core.Asked{question}}
				}
				return core.WorkerOutput{Status: core.OutputCompleted, Coverage: core.Coverage{Met: []string{"works"}}}
			}
			if while != nil {
				for while(w) {
					w.once()
				}
				w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: "because"})
			}
			for w.run.Gated() == nil && !w.run.Status.Terminal() && (w.run.Pause == nil || w.run.Pause.Code == core.PauseQuestion) {
				if len(core.Effects(w.run)) == 0 && w.run.Pause != nil {
					w.now = core.Timers(w.run)[0]
					w.must(core.Engine(), core.TimerFired{Timer: "due"})
					continue
				}
				w.once()
			}
			if w.run.Gated() == nil || w.run.Waves.N != 1 || !slices.Equal(slices.Sorted(strings.FieldsSeq(w.begun())), []string{"a", "a", "b", "c"}) {
				t.Fatalf("%s, wave %d, %s, %+v\n%s", w.run.Status, w.run.Waves.N, w.begun(), w.run.Pause, w.account())
			}
			if ends := w.run.Waves.Ends; len(ends) != 2 || ends[1].Wave != 1 {
				t.Errorf("%+v", ends)
			}
		})
	}
}

func TestAFailedDelegationEndsWhatDependsOnIt(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(brief("a"), brief("b", "a"), brief("c", "b"), brief("d")), finish(), dropping("a", "b", "c"))
	w.work = func(_ *world, d *core.Delegated) core.WorkerOutput {
		if d.Brief.ID == "a" {
			return core.WorkerOutput{Status: core.OutputFailed, Compact: "impossible"}
		}
		return core.WorkerOutput{Status: core.OutputCompleted}
	}
	w.play()
	refused := slices.ContainsFunc(w.events, func(e core.Event) bool {
		return e.Type == core.TypeBriefEnded && strings.Contains(string(e.Body), "depends on b")
	})
	if w.begun() != "a d" || w.run.Status != core.StatusCompleted || !refused || !w.has(core.TypeCourseRefused) {
		t.Errorf("%s begun, %s\n%s", w.begun(), w.run.Status, w.account())
	}
}

// TestCodeIsMergedWhenTheWaveCloses, one after the other, and published.
func TestCodeIsMergedWhenTheWaveCloses(t *testing.T) {
	w := steady(t, core.WritesCode, further(brief("a"), brief("b"), brief("c", "a")), finish()).play()
	if w.run.Status != core.StatusAwaiting {
		t.Fatalf("%s\n%s", w.run.Status, w.account())
	}
	merged := 0
	for i, e := range w.events {
		if e.Type == core.TypeMergeConcluded {
			merged++
			if slices.Contains(w.types()[i:], core.TypeAttemptRequested) && merged == 1 && w.begun() != "a b c" {
				t.Errorf("merged before the wave was worked off: %s", w.begun())
			}
		}
	}
	if merged != 3 || w.run.Verified == w.run.BaseCommit {
		t.Errorf("%d merges, %s", merged, w.run.Verified)
	}
	w.must(core.Person("me"), core.ApprovalGranted{Subject: w.run.Gated().Gate.Subject})
	if w.play(); w.run.Status != core.StatusCompleted || w.run.PullRequest == nil {
		t.Errorf("%s", w.run.Status)
	}
}
