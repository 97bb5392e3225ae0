package core_test

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// waveDeeds are a run in waves.
func waveDeeds() map[string]deed {
	engine := core.Engine()
	working := with(waved, openWave, func(r *core.Run) {
		d := r.Waves.Works[0]
		d.Status, d.Brief.Criteria, d.Waits = core.DelegationOpen, []core.Criterion{{Text: "fast"}, {Text: "small"}}, []string{"q0"}
		t := r.Task("d1.r0")
		t.Outputs, t.Last().Status = []string{core.OutputArtifact, "notes.md"}, core.AttemptEnded
		t.Last().Delivery.Artifacts = []core.Artifact{{Name: core.OutputArtifact, Digest: "o"}, {Name: "notes.md", Digest: "n"}}
		r.Questions = []core.Question{{ID: "q0", From: "d1", Blocking: true, About: "size"}, {ID: "q9", Blocking: true}}
		r.Waves.Idle = 2
	})
	said := func(status core.OutputStatus, change func(*core.WorkerOutput)) core.Body {
		out := core.WorkerOutput{
			Status: status, Compact: " Done so far.\nMore.", Detailed: "all", Coverage: core.Coverage{Met: []string{"fast"}, Unmet: []string{"small"}},
			Facts: []core.Claimed{{Key: "db", Content: "postgres"}}, Assumptions: []core.Claimed{{Key: "os", Content: "linux"}},
			Blocking: []core.Asked{{Text: "Which?"}, {Text: "which?"}}, Missing: []core.Asked{{Text: "Where?"}}, Optional: []core.Asked{{Text: "Why?"}},
		}
		change(&out)
		return core.VerifyConcluded{Task: "d1.r0", Attempt: "d1.r0.a1", Passed: true, Output: &out, Touched: []string{"a.go"}}
	}
	asIs := func(*core.WorkerOutput) {}
	answered := with(working, func(r *core.Run) {
		for _, text := range []string{"Which?", "Where?"} {
			r.Answers = append(r.Answers, core.Answer{Question: core.Question{ID: core.QuestionID("r", text)}})
		}
	})
	deciding := with(waved, openWave, func(r *core.Run) {
		r.Stages[0].Tasks = []*core.Task{{ID: "p", Stage: core.PlannerStage, Kind: core.KindWave, Status: core.TaskVerifying, Attempts: []*core.Attempt{{ID: "p.a1", Delivery: &core.Delivery{}}}}}
		r.Waves.Pool = r.Waves.Pool.Merge(
			core.Statement{Claimed: core.Claimed{Key: "db", Content: "postgres"}, Origin: core.OriginDelegation, Source: "d1", Wave: 1},
			core.Statement{Claimed: core.Claimed{Key: "db", Content: "sqlite"}, Origin: core.OriginDelegation, Source: "d2", Wave: 1},
		)
		r.Waves.Ends = []core.WaveEnd{{Wave: 0, Compact: "c0"}, {Wave: 1, Compact: "before"}}
		r.Waves.Refused, r.Waves.Objections, r.Waves.Idle = []core.BriefRefusal{{ID: "d9"}}, []string{"old"}, 1
	})
	conflict := deciding().Waves.Pool.Conflicts(1)
	if len(conflict) == 0 {
		panic("the pool is to have a conflict")
	}
	decision := &core.PlannerDecision{
		Decision: core.CourseContinue, Facts: []core.Claimed{{Key: "lang", Content: "go"}},
		Resolutions: []core.Resolution{{Conflict: conflict[0].ID, Content: "sqlite", Reason: "small"}, {Conflict: "other", Content: "x"}},
	}
	decided := with(deciding, func(r *core.Run) { r.Waves.Decision = decision })
	ends := func(change func(*core.Delegated)) func() *core.Run {
		return with(working, first(change), func(r *core.Run) {
			r.Waves.Works = append(r.Waves.Works, &core.Delegated{Brief: core.Brief{ID: "d0", Replaces: []string{"d1"}, Criteria: []core.Criterion{{Text: "small"}}}, Status: core.DelegationDone, Answer: &core.WorkerOutput{Coverage: core.Coverage{Met: []string{"small"}}}})
		})
	}
	blocked := with(working, first(func(d *core.Delegated) { d.Status = core.DelegationBlocked }), func(r *core.Run) {
		r.Waves.Works = append(r.Waves.Works, &core.Delegated{Brief: core.Brief{ID: "d2"}, Status: core.DelegationBlocked, Waits: []string{"q0", "q1"}}, &core.Delegated{Brief: core.Brief{ID: "d3"}, Status: core.DelegationOpen, Waits: []string{"q0"}})
		r.Waves.Pool = r.Waves.Pool.Merge(core.Statement{Claimed: core.Claimed{Key: "size", Content: "big"}, Origin: core.OriginDelegation, Source: "d1", Wave: 1})
	})
	discard := core.StageDiscarded{Stage: "d1", Round: 1, Reason: "why"}
	table := map[string]deed{
		"a wave opens":                    {with(waved, func(r *core.Run) { r.Waves.Idle = 2 }), decides, core.WaveOpened{Wave: 1}},
		"a wave closes":                   {decided, decides, core.WaveClosed{Wave: 1, Compact: "c1", Detailed: "d1", Notes: []string{"n"}}},
		"a wave closes undecided":         {deciding, decides, core.WaveClosed{Wave: 1, Compact: "c1", Detailed: "d1"}},
		"a planner decides":               {deciding, engine, core.VerifyConcluded{Task: "p", Attempt: "p.a1", Passed: true, Decision: decision}},
		"a brief is admitted":             {with(waved, openWave), decides, core.BriefAdmitted{Brief: core.Brief{ID: "d2", Task: "t"}}},
		"a brief is refused":              {waved, decides, core.BriefRefused{BriefRefusal: core.BriefRefusal{ID: "d2", Code: "role", Reason: "x", Key: "k"}}},
		"a brief is refused once more":    {with(waved, func(r *core.Run) { r.Waves.Repeats = map[string]int{"role k": 1, "role j": 4} }), decides, core.BriefRefused{BriefRefusal: core.BriefRefusal{ID: "d2", Code: "role", Reason: "x", Key: "k"}}},
		"a course is refused":             {with(waved, func(r *core.Run) { r.Waves.Objections = []string{"old"} }), decides, core.CourseRefused{Reasons: []string{"a", "b"}}},
		"a delegation is begun":           {with(waved, openWave), decides, core.TaskAdmitted{Task: "d1.r1", Stage: "d1", Round: 1}},
		"a delegation is merged":          {with(waved, openWave), decides, core.TaskAdmitted{Task: "d1.r1", Stage: "d1", Round: 1, Act: core.ActMerge}},
		"a delegation is resolved":        {with(waved, openWave), decides, core.TaskAdmitted{Task: "d1.r1", Stage: "d1", Round: 1, Kind: core.KindResolve}},
		"a delegation fails":              {ends(func(*core.Delegated) {}), decides, core.BriefEnded{Delegation: "d1", Status: core.DelegationFailed, Reason: strings.Repeat("x", 3000)}},
		"a delegation is dropped":         {ends(func(*core.Delegated) {}), decides, core.BriefEnded{Delegation: "d1", Status: core.DelegationDropped, Reason: "why"}},
		"what was done is given up":       {ends(func(d *core.Delegated) { d.Status = core.DelegationDone }), decides, discard},
		"what was done in part, given up": {ends(func(d *core.Delegated) { d.Status = core.DelegationPartial }), decides, discard},
		"what is blocked is given up":     {ends(func(d *core.Delegated) { d.Status = core.DelegationBlocked }), decides, discard},
		"a worker is blocked, answered":   {answered, engine, said(core.OutputBlocked, asIs)},
		"a worker says nothing":           {working, engine, core.VerifyConcluded{Task: "d1.r0", Attempt: "d1.r0.a1", Passed: true}},
		"a worker fails the checks":       {working, engine, core.VerifyConcluded{Task: "d1.r0", Attempt: "d1.r0.a1", Output: &core.WorkerOutput{Status: core.OutputCompleted}}},
		"a worker says much":              {working, engine, said(core.OutputCompleted, func(o *core.WorkerOutput) { o.Compact = strings.Repeat("x", 5000) })},
		"a person answers":                {blocked, core.Person("me"), core.QuestionAnswered{ID: "q0", Text: "small", Sources: []string{"s"}}},
		"a planner answers":               {blocked, decides, core.QuestionAnswered{ID: "q0", Text: "small", Planner: true}},
		"nobody answers":                  {blocked, decides, core.QuestionAnswered{ID: "q0", Text: "small", Default: true}},
		"a worker's question is asked":    {blocked, decides, core.QuestionAsked{ID: "q1", Text: "x", From: "d2"}},
		"a planner's question is asked":   {blocked, decides, core.QuestionAsked{ID: "q5", Text: "x"}},
		"a detail is read":                {waved, core.Actor{Kind: core.ActorAgent, ID: "d1.r0.a1"}, core.DetailFetched{Name: "x"}},
	}
	for _, status := range []core.OutputStatus{core.OutputCompleted, core.OutputPartial, core.OutputBlocked, core.OutputFailed} {
		table[fmt.Sprintf("a worker answers: %s", status)] = deed{working, engine, said(status, asIs)}
	}
	return table
}
