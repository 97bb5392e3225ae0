package core_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// managed is a run by a manager with an open line and a turn.
func managed() *core.Run {
	return &core.Run{
		ID: "r", Alias: "r", Status: core.StatusActive, Branch: "feature/x", BaseCommit: "c0", Head: "c1", Verified: "c1", Limits: core.DefaultLimits(),
		Playbook: &core.Playbook{Kind: "manager", Project: &core.Management{Roles: map[core.TaskKind]string{core.KindManage: "boss"}}},
		Driving:  core.Driving{Plan: &core.Plan{Digest: "d"}},
		Stages: []*core.Stage{
			{ID: core.ManagerStage, Status: core.StageOpen, Round: 1, Base: "c1", Turn: &core.Turn{}},
			{ID: "api", Status: core.StageOpen, Round: 1, Base: "c1", Branch: "feature/x-api-1", Line: "c2", Tasks: []*core.Task{
				{ID: "api.r1.t1", Stage: "api", Status: core.TaskDone, Limit: 3, Attempts: []*core.Attempt{
					{ID: "api.r1.t1.a1", Status: core.AttemptEnded, Verdict: core.VerdictPassed, Delivery: &core.Delivery{Commit: "c2"}},
				}},
			}},
			{ID: "old", Status: core.StageOmitted, Round: 1, Base: "c1", Branch: "feature/x-old-1"},
		},
		Managing: core.Managing{Delegations: []*core.Delegation{{ID: "t1", Status: core.DelegationOpen, Stage: "api"}}, Delegated: 1},
	}
}

// managerRow is an event in a managed run, and what the law says to it; "" where
// it is lawful.
type managerRow struct {
	actor core.Actor
	body  core.Body
	says  string
}

func managerRows() map[string]managerRow {
	decider := core.Actor{Kind: core.ActorDecider, ID: "manager"}
	long := strings.Repeat("x", core.MaxWord+1)
	propose := func(p core.Proposal) core.Body { return core.TaskProposed{Delegation: "t2", Proposal: p} }
	tests := map[string]managerRow{
		"a turn while one is open":       {decider, core.StageOpened{Stage: core.ManagerStage, Round: 2, Base: "c1"}, "stage manager is open"},
		"a closed line once more":        {decider, core.StageOpened{Stage: "old", Round: 2, Base: "c1", Branch: "feature/x-old-2"}, ""},
		"a closed line, the same round":  {decider, core.StageOpened{Stage: "old", Round: 1, Base: "c1", Branch: "feature/x-old-1"}, "round 1 is not its next"},
		"a manager on a line":            {decider, core.TaskAdmitted{Task: "x", Stage: "api", Round: 1, Kind: core.KindManage, Attempts: 1}, "a stage of its own"},
		"work in the manager's stage":    {decider, core.TaskAdmitted{Task: "x", Stage: core.ManagerStage, Round: 1, Kind: core.KindCode, Attempts: 1}, "a stage of its own"},
		"a delegation admitted twice":    {decider, core.TaskAdmitted{Task: "x", Stage: "api", Round: 1, Attempts: 1, Delegation: "t1"}, "t1 does not wait to be begun"},
		"a delegation that is not there": {decider, core.TaskAdmitted{Task: "x", Stage: "api", Round: 1, Attempts: 1, Delegation: "t9"}, "t9 does not wait to be begun"},
		"a line that is not merged":      {decider, core.StagePassed{Stage: "api", Round: 1, Commit: "c1"}, "feature/x-api-1 is not merged"},
		"a delegation out of turn":       {core.Person("me"), core.TaskProposed{Delegation: "t9", Proposal: core.Proposal{Prompt: "x"}}, "t9 is not the next delegation"},
		"work without words":             {core.Person("me"), propose(core.Proposal{Kind: core.KindCode, Prompt: " "}), "needs a prompt"},
		"an act without words":           {core.Person("me"), propose(core.Proposal{Kind: core.KindMerge, Line: "api"}), ""},
		"a title without end":            {core.Person("me"), propose(core.Proposal{Prompt: "x", Title: long}), "is too long"},
		"a check without end":            {core.Person("me"), propose(core.Proposal{Prompt: "x", Checks: []string{long}}), "is too long"},
		"a document elsewhere":           {core.Person("me"), propose(core.Proposal{Prompt: "x", Outputs: []string{"../x"}}), "cannot be the name of a document"},
		"a document in the goal's place": {core.Person("me"), propose(core.Proposal{Prompt: "x", Outputs: []string{"Goal.md"}}), "Stellwerk itself lays out"},
		"a schema of one's own":          {core.Person("me"), propose(core.Proposal{Prompt: "x", Inputs: []string{"review.json.schema.json"}}), "Stellwerk itself lays out"},
		"an agent that is over":          {core.Actor{Kind: core.ActorAgent, ID: "api.r1.t1.a1"}, core.MessageSent{Voice: core.VoiceRed, Text: "x"}, "is over"},
		"somebody else's voice":          {core.Person("me"), core.MessageSent{Voice: core.VoiceGreen, Text: "x"}, "does not speak as green"},
		"a question by another name":     {core.Person("me"), core.QuestionAsked{ID: "q", Text: "x"}, "does not have the identity of its words"},
		"a question of the decider":      {decider, core.QuestionAsked{ID: "q", Text: "x"}, "is not for decider manager to say"},
		"a plan from another":            {core.Person("me"), core.PlanProposed{Base: "old", Files: []core.PlanFile{{Name: "plan.md"}}, Message: "m"}, "changed since you read it"},
		"a plan with a long message":     {core.Person("me"), core.PlanProposed{Base: "d", Files: []core.PlanFile{{Name: "plan.md"}}, Message: long}, "at most"},
		"a default without words":        {core.Person("me"), core.QuestionAsked{ID: core.QuestionID("", "x"), Text: "x", Default: " \n", After: 1}, "needs words"},
		"a plan elsewhere":               {core.Person("me"), core.PlanProposed{Base: "d", Files: []core.PlanFile{{Name: "../x.md"}}, Message: "m"}, "none of the plan's documents"},
		"a check no program can take":    {core.Person("me"), propose(core.Proposal{Prompt: "x", Checks: []string{"make\x00"}}), "zero byte"},
	}
	for what, name := range map[string]string{
		"a line break": "a\nb.md", "a tilde": "git~1.md", "an escape": "a\x1b[31m.md", "a backslash": "a\\b.md", "no end": long + ".md",
		"no words": ".md", "a stream": "a.md:b.md", "a text that turns round": "a\u202eb.md", "another kind": "plan.txt",
	} {
		test := tests["a plan elsewhere"]
		test.body = core.PlanProposed{Base: "d", Files: []core.PlanFile{{Name: name}}, Message: "m"}
		tests["a plan's document with "+what] = test
	}
	return tests
}

func TestTheLawOfAManager(t *testing.T) {
	for name, test := range managerRows() {
		t.Run(name, func(t *testing.T) {
			wants(t, name, core.Law(managed(), test.actor, test.body), test.says)
		})
	}
}

// wants compares a verdict with the words that are expected of it; "" for none.
func wants(t *testing.T, what string, err error, says string) {
	t.Helper()
	switch {
	case says == "" && err != nil:
		t.Errorf("%s: refused: %v", what, err)
	case says != "" && (err == nil || !strings.Contains(err.Error(), says)):
		t.Errorf("%s: %v, want %q", what, err, says)
	}
}

// TestPhasesAreNotOpenedAgain: the table lets a closed stage be opened, for the
// lines of a project; the law lets no phase.
func TestPhasesAreNotOpenedAgain(t *testing.T) {
	for _, status := range []core.StageStatus{core.StageOmitted, core.StageDone} {
		r := &core.Run{
			ID: "r", Status: core.StatusActive, Head: "c0", Playbook: &core.Playbook{Kind: "phases", Phases: []core.Phase{{ID: "a"}, {ID: "b"}}},
			Stages: []*core.Stage{{ID: "a", Status: status, Round: 1}, {ID: "b", Status: core.StagePending}},
		}
		err := core.Law(r, core.Actor{Kind: core.ActorDecider}, core.StageOpened{Stage: "a", Round: 2, Base: "c0"})
		if core.CodeOf(err) != core.CodeUnlawful {
			t.Errorf("a phase that is %s was opened again: %v", status, err)
		}
	}
}

// TestAQuestionIsNobodyElses: its identity cannot be hit by trying words.
func TestAQuestionIsNobodyElses(t *testing.T) {
	id := core.QuestionID("p", "Which database?")
	if len(id) < len("q-")+16 {
		t.Errorf("%s has fewer than 64 bits", id)
	}
	if core.QuestionID("p", " which  DATABASE") != id || core.QuestionID("other", "Which database?") == id {
		t.Error("the identity is not that of source and words")
	}
}
