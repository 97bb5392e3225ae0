package waves_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/waves"
)

// TestWhenThePlannerLooks: at the goal, and at a wave in which nothing is left to do;
// not while it looks already, and not once its work is published. Where an answer is
// waited for, or nothing comes of its decisions, a person is asked instead.
func TestWhenThePlannerLooks(t *testing.T) {
	t.Parallel()
	looks := []string{"StageOpened " + core.PlannerStage, "TaskAdmitted planner.r1"}
	barren := "RunPaused " + string(core.PauseBarren) + ": the planner made 3 decisions in a row that led to nothing"
	closed := func(r *core.Run) { r.Waves.Open = false }
	asks := func(blocking bool, from string) func(r *core.Run) {
		return func(r *core.Run) {
			r.Questions = []core.Question{{ID: "q1", Text: "Which?", From: from, Blocking: blocking}}
		}
	}
	idle := func(n int) func(r *core.Run) { return func(r *core.Run) { r.Waves.Idle = n } }
	looking := func(r *core.Run) {
		r.Stages = append(r.Stages, &core.Stage{ID: core.PlannerStage, Status: core.StageOpen, Round: 1, Tasks: []*core.Task{{ID: "p", Kind: core.KindWave, Status: core.TaskRunning}}})
	}
	publishing := func(r *core.Run) {
		r.Stages = append(r.Stages, &core.Stage{ID: core.PublishStage, Status: core.StageGated, Round: 1, Gate: &core.Gate{}})
	}
	done := delegated("a", core.DelegationDone)
	for name, c := range map[string]struct {
		works   []*core.Delegated
		changes []func(r *core.Run)
		want    []string
	}{
		"at the goal":                    {nil, []func(r *core.Run){closed}, looks},
		"at a wave that is over":         {[]*core.Delegated{done}, nil, looks},
		"after a wave":                   {[]*core.Delegated{done}, []func(r *core.Run){closed}, looks},
		"not while somebody works":       {[]*core.Delegated{delegated("busy", core.DelegationOpen)}, []func(r *core.Run){func(r *core.Run) { r.Stages = []*core.Stage{line("busy", task(core.KindWork, core.TaskRunning))} }}, nil},
		"not while it looks":             {[]*core.Delegated{done}, []func(r *core.Run){looking}, nil},
		"not while it looks at the goal": {nil, []func(r *core.Run){closed, looking}, nil},
		"not while it publishes":         {[]*core.Delegated{done}, []func(r *core.Run){closed, publishing}, nil},
		"the next wave":                  {[]*core.Delegated{delegated("b", core.DelegationWaiting)}, []func(r *core.Run){closed}, []string{"WaveOpened 2"}},
		"no further than allowed":        {[]*core.Delegated{delegated("b", core.DelegationWaiting)}, []func(r *core.Run){closed, func(r *core.Run) { r.Waves.N = 5 }}, []string{"WaveOpened 5"}},
		"no wave while it looks":         {[]*core.Delegated{delegated("b", core.DelegationWaiting)}, []func(r *core.Run){closed, looking}, nil},
		"a question":                     {nil, []func(r *core.Run){closed, asks(true, "")}, []string{"RunPaused question: the planner asks: Which?"}},
		"a worker's question":            {nil, []func(r *core.Run){closed, asks(true, "a")}, []string{"RunPaused question: a asks: Which?"}},
		"a question that may wait":       {nil, []func(r *core.Run){closed, asks(false, "a")}, looks},
		"a question in an open wave":     {[]*core.Delegated{done}, []func(r *core.Run){asks(true, "a")}, looks},
		"a question while it looks":      {nil, []func(r *core.Run){closed, asks(true, "a"), looking}, nil},
		"a question while it publishes":  {nil, []func(r *core.Run){closed, asks(true, "a"), publishing}, nil},
		"nothing came of it, but yet":    {nil, []func(r *core.Run){closed, idle(2)}, looks},
		"nothing came of it":             {nil, []func(r *core.Run){closed, idle(3)}, []string{barren}},
		"nothing, in an open wave":       {[]*core.Delegated{done}, []func(r *core.Run){idle(3)}, looks},
		"nothing, while it looks":        {nil, []func(r *core.Run){closed, idle(3), looking}, nil},
		"nothing, while it publishes":    {nil, []func(r *core.Run){closed, idle(3), publishing}, nil},
		"nothing, and why":               {nil, []func(r *core.Run){closed, idle(3), func(r *core.Run) { r.Waves.Refused = []core.BriefRefusal{{Reason: "no such role"}} }}, []string{barren + ": no such role"}},
		"nothing, and what was said last": {nil, []func(r *core.Run){closed, idle(3), func(r *core.Run) {
			r.Waves.Refused, r.Waves.Objections = []core.BriefRefusal{{Reason: "x"}}, []string{"a is open"}
		}}, []string{barren + ": a is open"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := wave(core.WritesArtifacts, c.works...)
			for _, change := range c.changes {
				change(r)
			}
			if diff := cmp.Diff(c.want, outline(waves.Decider{}.Decide(r))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWhatThePlannerHandsIn: a decision, and from the first wave on what it has to
// tell of the one it closes. All of it is checked.
func TestWhatThePlannerHandsIn(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]struct {
		title     string
		documents []string
	}{
		0: {"Split the goal", []string{core.DecisionArtifact}},
		1: {"Close wave 1", []string{core.DecisionArtifact, core.CompactArtifact, core.DetailedArtifact}},
		3: {"Close wave 3", []string{core.DecisionArtifact, core.CompactArtifact, core.DetailedArtifact}},
	} {
		r := wave(core.WritesArtifacts)
		r.Waves.N, r.Waves.Open = n, n > 0
		bodies := waves.Decider{}.Decide(r)
		if len(bodies) != 2 {
			t.Fatalf("%d: decided %+v", n, bodies)
		}
		opened, _ := bodies[0].(core.StageOpened)
		asked, _ := bodies[1].(core.TaskAdmitted)
		checked := []core.Check{{Kind: core.CheckDecision}}
		for _, name := range want.documents[1:] {
			checked = append(checked, core.Check{Kind: core.CheckArtifact, Name: name})
		}
		if diff := cmp.Diff(checked, asked.Done.Of); opened.Title != want.title || asked.Role != "planner" || asked.Done.Kind != core.CheckAll || diff != "" || !cmp.Equal(want.documents, asked.Outputs) {
			t.Errorf("%d: %+v, %+v\n%s", n, opened, asked, diff)
		}
	}
}

// TestHowAPlannerFinishes: what it answers and rules on in the same breath is settled,
// and what it leaves open keeps it from finishing. Only code that there is, is published.
func TestHowAPlannerFinishes(t *testing.T) {
	t.Parallel()
	published, completed, refused := core.TypeStageOpened, core.TypeRunCompleted, core.TypeCourseRefused
	for name, c := range map[string]struct {
		change   func(r *core.Run)
		decision core.PlannerDecision
		want     core.Type
	}{
		"code":               {func(*core.Run) {}, core.PlannerDecision{}, published},
		"no code":            {func(r *core.Run) { r.Verified = r.BaseCommit }, core.PlannerDecision{}, completed},
		"documents":          {func(r *core.Run) { r.Playbook.Project.Waves.Writes = core.WritesArtifacts }, core.PlannerDecision{}, completed},
		"a question is open": {func(r *core.Run) { r.Questions = []core.Question{{ID: "q1", From: "a", Blocking: true}} }, core.PlannerDecision{}, refused},
		"it answers that":    {func(r *core.Run) { r.Questions = []core.Question{{ID: "q1", From: "a", Blocking: true}} }, core.PlannerDecision{Answers: []core.Answering{{Question: "q1", Answer: "x"}}}, published},
		"it answers another": {func(r *core.Run) {
			r.Questions = []core.Question{{ID: "q1", From: "a", Blocking: true}, {ID: "q2", From: "a"}}
		}, core.PlannerDecision{Answers: []core.Answering{{Question: "q2", Answer: "x"}}}, refused},
		"work is open":      {func(r *core.Run) { r.Waves.Works = append(r.Waves.Works, delegated("b", core.DelegationBlocked)) }, core.PlannerDecision{}, refused},
		"it drops that":     {func(r *core.Run) { r.Waves.Works = append(r.Waves.Works, delegated("b", core.DelegationBlocked)) }, core.PlannerDecision{Dropped: []core.Dropped{{ID: "b", Reason: "x"}}}, published},
		"two say otherwise": {contradicted, core.PlannerDecision{}, refused},
		"it says which":     {contradicted, core.PlannerDecision{Facts: []core.Claimed{{Key: "db", Content: "sqlite"}}}, published},
	} {
		t.Run(name, func(t *testing.T) {
			c.decision.Decision, c.decision.Reason = core.CourseFinish, "all is there"
			r := decided(c.decision)
			r.BaseCommit, r.Verified, r.Questions, r.Waves.Pool = "c0", "c1", nil, nil
			r.Waves.Works, r.Playbook.Project.Waves.Writes = []*core.Delegated{delegated("a", core.DelegationDone)}, core.WritesCode
			c.change(r)
			got := map[core.Type]bool{}
			for _, b := range (waves.Decider{}).Decide(r) {
				got[core.TypeOf(b)] = true
			}
			for _, end := range []core.Type{published, completed, refused} {
				if got[end] != (end == c.want) {
					t.Errorf("%s follows: %v, want %s", end, got[end], c.want)
				}
			}
		})
	}
}

// contradicted is a run in which two delegations hold different things to be true.
func contradicted(r *core.Run) {
	for source, content := range map[string]string{"a": "postgres", "b": "sqlite"} {
		r.Waves.Pool = r.Waves.Pool.Merge(core.Statement{Claimed: core.Claimed{Key: "db", Content: content}, Origin: core.OriginDelegation, Source: source, Wave: 1})
	}
}

// TestWhatAPlannerIsToldOfItsQuestions: people are asked each once, and no more than
// they can look at; the planner learns what was not asked.
func TestWhatAPlannerIsToldOfItsQuestions(t *testing.T) {
	t.Parallel()
	open := func(n int) []core.Question {
		var all []core.Question
		for i := range n {
			all = append(all, core.Question{ID: fmt.Sprint("open-", i), Text: "x", Blocking: true})
		}
		return all
	}
	for name, c := range map[string]struct {
		open  []core.Question
		texts []string
		asked int
		note  string
	}{
		"a question":            {nil, []string{"Which?"}, 1, ""},
		"twice":                 {nil, []string{"Which?", "Which?"}, 1, `"Which?" is asked already and waits for an answer`},
		"open already":          {[]core.Question{{ID: decided(core.PlannerDecision{}).QuestionID("Which?"), Text: "Which?"}}, []string{"Which?"}, 0, `"Which?" is asked already and waits for an answer`},
		"the last that may be":  {open(core.MaxBlocking - 1), []string{"Which?"}, 1, ""},
		"one too many":          {open(core.MaxBlocking - 1), []string{"Which?", "When?"}, 1, "100 questions wait for people, and this was not asked: When?"},
		"too many wait already": {open(core.MaxBlocking), []string{"Which?"}, 0, "100 questions wait for people, and this was not asked: Which?"},
	} {
		t.Run(name, func(t *testing.T) {
			d := core.PlannerDecision{Decision: core.CourseAsk, Reason: "why"}
			for _, text := range c.texts {
				d.Questions = append(d.Questions, core.Asked{Text: text})
			}
			r := decided(d)
			r.Questions = c.open
			asked, notes := 0, ""
			for _, b := range (waves.Decider{}).Decide(r) {
				switch b := b.(type) {
				case core.QuestionAsked:
					asked++
				case core.WaveClosed:
					notes = strings.Join(b.Notes, "\n")
				default:
				}
			}
			if asked != c.asked || notes != c.note {
				t.Errorf("%d are asked, and the planner is told %q; want %d, %q", asked, notes, c.asked, c.note)
			}
		})
	}
}
