package waves_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/waves"
)

func dropping(ids ...string) core.PlannerDecision {
	d := finish()
	for _, id := range ids {
		d.Dropped = append(d.Dropped, core.Dropped{ID: id, Reason: "nobody knows"})
	}
	return d
}

func instead(of string) core.Brief {
	b := brief("instead-of-" + of)
	b.Replaces = []string{of}
	return b
}

// TestWhatIsDroppedHoldsNothingUp: neither its criteria nor its questions.
func TestWhatIsDroppedHoldsNothingUp(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(brief("a")), dropping("a"))
	w.work = func(*world, *core.Delegated) core.WorkerOutput {
		return core.WorkerOutput{Status: core.OutputBlocked, Missing: []core.Asked{{Text: "The plans, please."}}, Coverage: core.Coverage{Unmet: []string{"works"}}}
	}
	if w.play(); w.run.Status != core.StatusCompleted {
		t.Errorf("%s %+v\n%s", w.run.Status, w.run.Pause, w.account())
	}
}

// TestAnOptionalQuestionBecomesBlocking by who cannot go on without its answer.
func TestAnOptionalQuestionBecomesBlocking(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(brief("a"), brief("b", "a")), further())
	w.work = func(_ *world, d *core.Delegated) core.WorkerOutput {
		asked := []core.Asked{{Text: "Which colour?"}}
		if d.Brief.ID == "a" {
			return core.WorkerOutput{Status: core.OutputCompleted, Optional: asked}
		}
		return core.WorkerOutput{Status: core.OutputBlocked, Blocking: asked, Coverage: core.Coverage{Unmet: []string{"works"}}}
	}
	if w.play(); w.run.Pause == nil || w.run.Pause.Code != core.PauseQuestion {
		t.Errorf("%s %+v\n%s", w.run.Status, w.run.Pause, w.account())
	}
}

// TestOptionalQuestionsHideNoBlockingOne, though they were asked before it.
func TestOptionalQuestionsHideNoBlockingOne(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(brief("a"), brief("b", "a")), further())
	w.work = func(_ *world, d *core.Delegated) core.WorkerOutput {
		if d.Brief.ID == "a" {
			return core.WorkerOutput{Status: core.OutputCompleted, Optional: []core.Asked{{Text: "Which colour?"}}}
		}
		return core.WorkerOutput{Status: core.OutputBlocked, Blocking: []core.Asked{{Text: "How big?"}}, Coverage: core.Coverage{Unmet: []string{"works"}}}
	}
	if w.play(); w.run.Pause == nil || w.run.Pause.Code != core.PauseQuestion || !strings.Contains(w.run.Pause.Reason, "How big?") {
		t.Errorf("%s %+v\n%s", w.run.Status, w.run.Pause, w.account())
	}
}

// TestManyQuestionsAreOneStep: however many are asked and not answered in time,
// the decider comes to rest.
func TestManyQuestionsAreOneStep(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(brief("a")), finish())
	w.work = func(*world, *core.Delegated) core.WorkerOutput {
		out := core.WorkerOutput{Status: core.OutputCompleted, Coverage: core.Coverage{Met: []string{"works"}}}
		for i := range 100 {
			out.Optional = append(out.Optional, core.Asked{Text: fmt.Sprint("What of ", i, "?"), Default: "nothing", After: "1ms"})
		}
		return out
	}
	if w.play(); w.run.Status != core.StatusCompleted || len(w.run.Questions) > 0 {
		t.Fatalf("%s, %d questions are open", w.run.Status, len(w.run.Questions))
	}
}

// TestAllThatIsHopelessEndsAtOnce, however long the chain.
func TestAllThatIsHopelessEndsAtOnce(t *testing.T) {
	briefs := []core.Brief{brief("b0")}
	for i := range 80 {
		briefs = append(briefs, brief(fmt.Sprint("b", i+1), fmt.Sprint("b", i)))
	}
	w := steady(t, core.WritesArtifacts, further(briefs...), core.PlannerDecision{Decision: core.CourseAbort, Reason: "no"})
	w.run.Playbook.Project.Waves.Delegations = 100
	w.work = func(*world, *core.Delegated) core.WorkerOutput { return core.WorkerOutput{Status: core.OutputFailed} }
	w.play()
	if d := w.run.Waves.Work("b80"); d.Status != core.DelegationFailed || !strings.Contains(d.Reason, "depends on b79") {
		t.Errorf("%+v", d)
	}
}

// TestWhatCannotBeMergedIsNotDone: nobody builds on it, and it cannot be finished
// away.
func TestWhatCannotBeMergedIsNotDone(t *testing.T) {
	w := steady(t, core.WritesCode, further(brief("a")), finish(), dropping("a"))
	w.merging = func(core.Merge) bool { return false }
	w.play()
	if !w.has(core.TypeCourseRefused) || w.run.Status != core.StatusCompleted || w.run.Waves.Work("a").Status != core.DelegationDropped {
		t.Errorf("%s %+v\n%s", w.run.Status, w.run.Pause, w.account())
	}
	tried := 0
	for _, task := range w.run.Stage("a").Tasks {
		if task.Kind == core.KindResolve {
			tried++
		}
	}
	if most := w.run.Playbook.Project.Attempts; tried != most {
		t.Errorf("its conflicts were resolved %d times, the playbook allows %d", tried, most)
	}
}

// TestReferencesThatSayWhatTheyAreTo are known to admission and to who begins the
// work alike.
func TestReferencesThatSayWhatTheyAreTo(t *testing.T) {
	last := brief("last", "first")
	last.Requires = []string{"fact:users", "answer:" + core.QuestionID("r", "Who?"), "detail:d1", "first"}
	again := brief("again", "last")
	again.Requires = []string{"last"}
	w := steady(t, core.WritesArtifacts, further(brief("first")), further(last, again), finish())
	w.work = func(_ *world, d *core.Delegated) core.WorkerOutput {
		out := core.WorkerOutput{Status: core.OutputCompleted, Facts: []core.Claimed{{Key: "users", Content: "four"}}}
		if d.Brief.ID == "first" {
			out.Optional = []core.Asked{{Text: "Who?", Default: "all", After: "1ms"}}
		}
		return out
	}
	if w.play(); w.run.Status != core.StatusCompleted || w.begun() != "first last again" {
		t.Errorf("%s begun\n%s", w.begun(), w.account())
	}
}

// TestABranchThatNobodyToldOfIsRemoved: it was made, and its work was dropped before
// that was known.
func TestABranchThatNobodyToldOfIsRemoved(t *testing.T) {
	const ref = "refs/heads/feature/x-a-1"
	give := further(brief("b"))
	give.Dropped = []core.Dropped{{ID: "a", Reason: "not needed"}}
	w := steady(t, core.WritesCode, further(brief("a")), give)
	w.work = func(*world, *core.Delegated) core.WorkerOutput {
		return core.WorkerOutput{Status: core.OutputBlocked, Blocking: []core.Asked{{Text: "Why?"}}}
	}
	for w.run.Waves.Work("a") == nil || w.run.Waves.Work("a").Status != core.DelegationDropped {
		for _, a := range core.Effects(w.run) {
			if move, ok := a.(core.MoveBranch); !ok || move.Ref != ref {
				w.effect(a)
				break
			}
		}
	}
	for len(w.run.Keep) > 0 {
		w.effect(w.run.Keep[0])
	}
	for range 2 { // what is done twice leaves nothing behind either
		i := slices.IndexFunc(core.Effects(w.run), func(a core.Action) bool { m, ok := a.(core.MoveBranch); return ok && m.Ref == ref })
		if i < 0 {
			t.Fatalf("nobody removes %s\n%s", ref, w.account())
		}
		if move, _ := core.Effects(w.run)[i].(core.MoveBranch); move.New != "" || move.Old == "" {
			t.Fatalf("%+v", move)
		}
		w.effect(core.Effects(w.run)[i])
		w.must(core.Engine(), core.BranchMoved{Ref: ref, New: "c1"}) // told late
	}
}

// TestAVersionSatisfiesWhoAsksForTheName: in the set that hands it in and later; a
// version that is asked for is not another.
func TestAVersionSatisfiesWhoAsksForTheName(t *testing.T) {
	draft, reads, later, never := brief("draft"), brief("reads", "draft"), brief("later"), brief("never")
	draft.Outputs = []string{"db_schema_v2.md"}
	reads.Requires, reads.Provided = []string{"db_schema", "db_schema_v2"}, []string{"detail:db_schema"}
	later.Requires, never.Requires = []string{"db_schema.md"}, []string{"db_schema_v3"}
	w := steady(t, core.WritesArtifacts, further(draft, reads), further(later, never), finish()).play()
	if w.run.Status != core.StatusCompleted || w.begun() != "draft reads later" {
		t.Errorf("%s begun\n%s", w.begun(), w.account())
	}
	if refused := w.refusals(); len(refused) != 1 || refused[0].ID != "never" || refused[0].Code != "missing_input" {
		t.Errorf("refused is %+v", refused)
	}
}

// TestDelegationsNamedLikeDetails are not mistaken for what is called so.
func TestDelegationsNamedLikeDetails(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(brief("d3"), brief("d1", "d3"), brief("d2", "d1")), finish()).play()
	for _, d := range w.run.Waves.Works {
		if doc := w.run.Waves.Whole(d); doc == nil || doc.Name != d.Brief.ID {
			t.Errorf("the answer of %s is %+v", d.Brief.ID, doc)
		}
	}
	if doc := w.run.Waves.Document("d3"); doc.ID != "d3" {
		t.Errorf("detail d3 is %+v", doc)
	}
}

// TestManyRefusalsAreOneQuestion: whoever asks for too much three times does not
// flood a person.
func TestManyRefusalsAreOneQuestion(t *testing.T) {
	var many core.PlannerDecision
	for i := range 40 {
		many = further(append(many.Delegations, brief(fmt.Sprint("b", i)))...)
	}
	w := steady(t, core.WritesArtifacts, many, many, many).play()
	if len(w.run.Questions) != 1 || !strings.Contains(w.run.Questions[0].Text, "The same goes for 39 more.") {
		t.Errorf("%d questions: %+v", len(w.run.Questions), w.run.Questions)
	}
}

// TestNamesThatAreNone are refused by admission, and by the law where there is no
// admission.
func TestNamesThatAreNone(t *testing.T) {
	with := func(b core.Brief, outputs ...string) core.Brief { b.Outputs = outputs; return b }
	heavy := brief("heavy")
	heavy.Requires = make([]string, core.MaxRequired+1)
	for _, b := range []core.Brief{
		brief("../x"), brief("a/b"), brief("Upper"), brief("-x"), brief(strings.Repeat("x", 41)), brief("publish"), brief("manager"), brief("plan"), heavy,
		with(brief("a"), "../x.md"), with(brief("a"), "/etc/x"), with(brief("a"), "Goal.md"), with(brief("a"), "worker_output.json"),
		with(brief("a"), "planner_decision.json"), with(brief("a"), "wave_compact.md"), with(brief("a"), "x.schema.json"), with(brief("a"), "x.md", "X.md"),
	} {
		w := steady(t, core.WritesArtifacts, further(b), core.PlannerDecision{Decision: core.CourseAbort, Reason: "no"}).play()
		if w.has(core.TypeBriefAdmitted) || !slices.ContainsFunc(w.events, func(e core.Event) bool { return strings.Contains(string(e.Body), "bad_name") }) {
			t.Errorf("%s %v: %s", b.ID, b.Outputs, w.account())
		}
		w = steady(t, core.WritesArtifacts)
		if err := core.Law(w.run, core.DecisionActor(waves.Decider{}), core.BriefAdmitted{Brief: b}); err == nil {
			t.Errorf("the law admits %s %v", b.ID, b.Outputs)
		}
	}
}

// TestAPersonIsNotFlooded: what is asked beyond measure waits its turn, and nothing
// of it is lost.
func TestAPersonIsNotFlooded(t *testing.T) {
	var briefs []core.Brief
	for i := range 30 {
		briefs = append(briefs, brief(fmt.Sprint("b", i)))
	}
	w := steady(t, core.WritesArtifacts)
	w.run.Playbook.Project.Waves.Delegations = 30
	w.plan = func(w *world) core.PlannerDecision {
		if w.run.Waves.N > 0 {
			return further()
		}
		return further(briefs...)
	}
	w.work = func(_ *world, d *core.Delegated) core.WorkerOutput {
		if d.Answer != nil {
			return core.WorkerOutput{Status: core.OutputCompleted}
		}
		out := core.WorkerOutput{Status: core.OutputBlocked, Coverage: core.Coverage{Unmet: []string{"works"}}}
		for i := range 10 {
			out.Blocking = append(out.Blocking, core.Asked{Text: fmt.Sprint("What of ", d.Brief.ID, " and ", i, "?")})
			out.Optional = append(out.Optional, core.Asked{Text: fmt.Sprint("Why ", d.Brief.ID, " and ", i, "?")})
		}
		return out
	}
	w.play()
	for range 300 {
		if len(w.run.Questions) > core.MaxBlocking+core.MaxOptional {
			t.Fatalf("%d questions are open", len(w.run.Questions))
		}
		at := slices.IndexFunc(w.run.Questions, func(q core.Question) bool { return q.Blocking })
		if at < 0 {
			t.Fatalf("a question is lost: %d answered\n%s", len(w.run.Answers), w.account())
		}
		w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[at].ID, Text: "so"})
	}
	if w.play(); slices.ContainsFunc(w.run.Waves.Works, func(d *core.Delegated) bool { return d.Status != core.DelegationDone }) {
		t.Error(w.account())
	}
}

// TestAPlannerDoesNotAnswerItself what it asked people.
func TestAPlannerDoesNotAnswerItself(t *testing.T) {
	asks := core.PlannerDecision{Decision: core.CourseAsk, Reason: "unclear", Questions: []core.Asked{{Text: "May we?"}, {Text: "may  we?"}}}
	w := steady(t, core.WritesArtifacts, asks).play()
	if len(w.run.Questions) != 1 {
		t.Fatalf("%+v", w.run.Questions)
	}
	err := core.Law(w.run, core.DecisionActor(waves.Decider{}), core.QuestionAnswered{ID: w.run.Questions[0].ID, Text: "yes", Planner: true})
	if err == nil {
		t.Error("a planner answers its own question")
	}
}

// TestThePoolIsBounded: what workers claim beyond measure is told, and not kept.
func TestThePoolIsBounded(t *testing.T) {
	w := steady(t, core.WritesArtifacts, further(brief("a")), finish())
	w.run.Waves.Pool = make(core.Pool, core.MaxClaims-1)
	for i := range w.run.Waves.Pool {
		w.run.Waves.Pool[i].ID = fmt.Sprint("f", i+1)
	}
	w.work = func(*world, *core.Delegated) core.WorkerOutput {
		return core.WorkerOutput{Status: core.OutputCompleted, Facts: []core.Claimed{{Key: "a", Content: "1"}, {Key: "b", Content: "2"}, {Key: "c", Content: "3"}}}
	}
	told := ""
	plan := w.plan
	w.plan = func(w *world) core.PlannerDecision {
		told = strings.Join(w.run.Waves.Objections, "; ")
		return plan(w)
	}
	w.play()
	if len(w.run.Waves.Pool) != core.MaxClaims || w.run.Waves.Fact("a") == nil || !strings.Contains(told, "2 claims of a were not taken in") {
		t.Errorf("%d facts; the planner was told %q", len(w.run.Waves.Pool), told)
	}
	if a := w.run.Waves.Work("a").Answer; a.Facts != nil {
		t.Errorf("what the pool has is kept twice: %+v", a)
	}
}
