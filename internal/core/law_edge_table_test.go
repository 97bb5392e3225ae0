package core_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// edgeRulings are what the law lets pass right beside what it refuses: a clause that
// is stricter than it says stops somebody's work.
func edgeRulings() map[string]ruling {
	me, engine := core.Person("me"), core.Engine()
	boss, worker := core.Actor{Kind: core.ActorAgent, ID: "manager.r1.a1"}, core.Actor{Kind: core.ActorAgent, ID: "web.r1.a1"}
	longest := strings.Repeat("x", core.MaxMessage)
	turn := func(change func(*core.Turn)) func(*core.Run) { return func(r *core.Run) { change(r.Stages[0].Turn) } }
	spoken := turn(func(t *core.Turn) { t.Deeds = messagesSent(core.MaxMessages) })
	paused := func(state func() *core.Run, code core.PauseCode, changes ...func(*core.Run)) func() *core.Run {
		return with(with(state, func(r *core.Run) {
			r.Status, r.Pause = core.StatusPaused, &core.Pause{Code: code, From: core.StatusActive}
		}), changes...)
	}
	first1 := func(change func(*core.Task)) func() *core.Run {
		return with(phased, func(r *core.Run) {
			r.Playbook.Phases[1] = core.Phase{ID: "write", VerifyFirst: true}
			r.Stages[1].Reason = core.OpenAdvance
			t := r.Task("write.r1")
			t.First, t.Attempts = true, nil
			change(t)
		})
	}
	tree := core.Check{Kind: core.CheckFiles}
	admitted := core.TaskAdmitted{Task: "y", Stage: "write", Round: 1, Attempts: 1, VerifyFirst: true, Done: tree}
	admit := func(change func(*core.TaskAdmitted)) core.Body { b := admitted; change(&b); return b }
	looking := first1(func(t *core.Task) { t.Status = core.TaskVerifying })
	saw := core.ValidateConcluded{Task: "write.r1", Commit: "c1", Passed: true, First: true}
	look := func(change func(*core.ValidateConcluded)) core.Body { b := saw; change(&b); return b }
	propose := func(change func(*core.Proposal)) core.Body {
		b := core.TaskProposed{Delegation: "t2", Proposal: core.Proposal{Prompt: "x"}}
		change(&b.Proposal)
		return b
	}
	planner := with(waved, func(r *core.Run) {
		t := r.Task("d1.r0")
		t.Kind, t.Last().Status = core.KindWave, core.AttemptEnded
	})
	failed := core.MergeConcluded{Task: "api.r1.m", Into: "c1", From: "c2", Results: []core.CheckResult{{Check: "go test"}}}
	return map[string]ruling{
		"a worker speaks in a turn that is full":     {with(turning, spoken, turn(func(t *core.Turn) { t.Calls = core.MaxDeeds })), worker, core.MessageSent{Voice: core.VoiceRed, Text: longest}, nil, nil},
		"a manager delegates after all its messages": {with(turning, spoken), boss, propose(func(*core.Proposal) {}), nil, nil},
		"a manager's last message":                   {with(turning, turn(func(t *core.Turn) { t.Deeds = messagesSent(core.MaxMessages - 1) })), boss, core.MessageSent{Voice: core.VoiceGreen, Text: "x"}, nil, nil},
		"a manager's last call":                      {with(turning, turn(func(t *core.Turn) { t.Calls = core.MaxDeeds - 1 })), boss, core.MessageSent{Voice: core.VoiceGreen, Text: "x"}, nil, nil},
		"a manager speaks after refusals":            {with(turning, spoken, turn(func(t *core.Turn) { t.Deeds[0].Refused = "no" })), boss, core.MessageSent{Voice: core.VoiceGreen, Text: "x"}, nil, nil},
		"a manager speaks after other calls":         {with(turning, spoken, turn(func(t *core.Turn) { t.Deeds[0].Tool = core.ToolPlan })), boss, core.MessageSent{Voice: core.VoiceGreen, Text: "x"}, nil, nil},
		"a manager that spoke much in tries before":  {with(turning, func(r *core.Run) { r.Task("manager.r1").Last().Said = core.MaxMessages }), boss, core.MessageSent{Voice: core.VoiceGreen, Text: "x"}, nil, nil},
		"a worker's last message":                    {with(turning, func(r *core.Run) { r.Task("web.r1").Last().Said = core.MaxMessages - 1 }), worker, core.MessageSent{Voice: core.VoiceRed, Text: "x"}, nil, nil},
		"a worker speaks under rules":                {with(turning, byRules), worker, core.MessageSent{Voice: core.VoiceRed, Text: "x"}, nil, nil},
		"a program speaks for a person":              {turning, me, core.MessageSent{Voice: core.VoiceBlue, Text: "x"}, nil, nil},
		"a planner reads a detail in its own voice":  {with(waved, func(r *core.Run) { r.Task("d1.r0").Kind = core.KindWave }), core.Actor{Kind: core.ActorAgent, ID: "d1.r0.a1"}, core.DetailFetched{Voice: core.VoiceGreen}, nil, map[string]refusal{"in a worker's": {body: core.DetailFetched{Voice: core.VoiceRed}, says: "does not speak as red"}}},
		"the last detail is read":                    {with(waved, func(r *core.Run) { r.Task("d1.r0").Last().Fetched = core.MaxFetched - 1 }), core.Actor{Kind: core.ActorAgent, ID: "d1.r0.a1"}, core.DetailFetched{}, nil, nil},
		"the last refusal is recorded":               {with(turning, func(r *core.Run) { r.Task("web.r1").Last().Refused = core.MaxDeeds - 1 }), engine, core.ToolRefused{Attempt: "web.r1.a1"}, nil, nil},
		"a manager asks beside many":                 {with(turning, questions(core.MaxBlocking, true)), boss, core.QuestionAsked{ID: core.QuestionID("", longest), Text: longest, Default: longest, After: 1}, nil, nil},
		"the longest answer":                         {turning, me, core.QuestionAnswered{ID: "q1", Text: longest}, nil, map[string]refusal{"and one byte": {body: core.QuestionAnswered{ID: "q1", Text: longest + "x"}, says: "the answer has"}}},
		"a default at the very time":                 {with(turning, func(r *core.Run) { r.Stream.At = time.Unix(100, 0) }), decides, core.QuestionAnswered{ID: "q1", Text: "no", Default: true}, nil, nil},
		"a planner answers a worker":                 {with(waved, func(r *core.Run) { r.Questions = []core.Question{{ID: "q", From: "d1"}} }), decides, core.QuestionAnswered{ID: "q", Text: "x", Planner: true}, nil, map[string]refusal{"but not itself": {change: func(r *core.Run) { r.Questions[0].From = "" }, says: "is not for a planner to answer"}}},
		"the longest delegation": {turning, me, propose(func(p *core.Proposal) {
			p.Prompt, p.Title = strings.Repeat("x", core.MaxPrompt), strings.Repeat("x", core.MaxWord)
		}), nil, map[string]refusal{"with a zero byte": {body: propose(func(p *core.Proposal) { p.Title = "a\x00" }), says: "a zero byte"}}},
		"a delegation of most names":                 {turning, me, propose(func(p *core.Proposal) { p.After = make([]string, core.MaxNames) }), nil, nil},
		"work that waits is given up":                {with(turning, func(r *core.Run) { r.Task("api.r1.t1").Status = core.TaskWaiting }), decides, core.TaskFailed{Task: "api.r1.t1"}, nil, nil},
		"work that was dropped is given up":          {with(turning, func(r *core.Run) { r.Task("api.r1.t1").Status = core.TaskDropped }), decides, core.TaskFailed{Task: "api.r1.t1"}, nil, nil},
		"a merge does not pass":                      {with(managed, merging(core.TaskVerifying)), engine, failed, nil, nil},
		"a merge could not be tried":                 {with(managed, merging(core.TaskVerifying)), engine, core.MergeConcluded{Task: "api.r1.m", Error: "disk"}, nil, nil},
		"a line is given up for another round":       {with(managed, func(r *core.Run) { r.Playbook.Project.Rounds = 2 }), decides, core.StageDiscarded{Stage: "api", Round: 1, Again: true}, nil, nil},
		"documents of a wave are given up":           {with(waved, func(r *core.Run) { r.Task("d1.r0").Status = core.TaskDone }), decides, core.StageDiscarded{Stage: "d1", Round: 1}, nil, nil},
		"a turn begins before there is a plan":       {with(managed, func(r *core.Run) { r.Driving.Plan, r.Stages[0].Status = nil, core.StageDone }), decides, core.StageOpened{Stage: core.ManagerStage, Round: 2, Base: "c1"}, nil, nil},
		"a branch of a wave begins without a plan":   {waved, decides, core.StageOpened{Stage: "d2", Round: 1, Base: "c1", Branch: "feature/x-d2"}, nil, nil},
		"a line begins for a wish":                   {with(managed, func(r *core.Run) { r.Driving.Changes = []core.Changes{{ID: "v"}, {ID: "w"}} }), decides, core.StageOpened{Stage: "old", Round: 2, Base: "c1", Branch: "b", Wish: "w"}, nil, nil},
		"a line that changed nothing passes":         {with(managed, line(func(s *core.Stage) { s.Line = "" })), decides, core.StagePassed{Stage: "api", Round: 1, Commit: "c1"}, nil, nil},
		"a merged line passes":                       {with(managed, line(func(s *core.Stage) { s.Merged = "m" })), decides, core.StagePassed{Stage: "api", Round: 1, Commit: "c1"}, nil, nil},
		"a project's session is given back":          {with(managed, func(r *core.Run) { r.Session = "s" }), me, core.SessionTook{}, nil, nil},
		"a word in the session":                      {with(phased, func(r *core.Run) { r.Session = "s" }), me, core.WordGiven{Session: "s"}, nil, nil},
		"resumed with its project":                   {paused(phased, core.PauseProject), core.Policy("project"), core.RunResumed{}, nil, nil},
		"resumed without an input, in a project":     {paused(managed, core.PauseInput), me, core.RunResumed{}, nil, nil},
		"resumed with the question answered":         {paused(managed, core.PauseQuestion), me, core.RunResumed{}, nil, nil},
		"resumed with more money":                    {paused(phased, core.PauseBudget, func(r *core.Run) { r.Limits.CostUSD, r.Usage.CostUSD = 1, 1 }), me, core.RunResumed{Limits: &core.Limits{CostUSD: 2}}, nil, map[string]refusal{"that is too little": {body: core.RunResumed{Limits: &core.Limits{CostUSD: 0.5}}, says: "the run has cost $1.00 of its $0.50"}}},
		"resumed with more attempts for the project": {paused(phased, core.PauseProjectLimit, func(r *core.Run) { r.Limits.Project.Attempts, r.Others.Attempts = 1, 1 }), me, core.RunResumed{Limits: &core.Limits{Project: core.ProjectLimits{Attempts: 2}}}, nil, nil},
		"resumed after money, with no attempts left": {paused(phased, core.PauseBudget, func(r *core.Run) { r.Limits.Project.Attempts, r.Others.Attempts = 1, 1 }), me, core.RunResumed{}, nil, nil},
		"a pause for the project in a wait":          {paused(managed, core.PauseQuestion), me, core.RunPaused{Code: core.PauseProject}, nil, nil},
		"a phase that is verified first": {with(first1(func(*core.Task) {}), func(r *core.Run) { r.Stages[1].Reason = core.OpenRedo }), decides, admitted, nil, map[string]refusal{
			"which the playbook does not say": {change: func(r *core.Run) { r.Playbook.Phases[1].VerifyFirst = false }, says: "does not have it verified first"},
			"of no known phase":               {change: func(r *core.Run) { r.Playbook.Phases[1].ID = "x" }, says: "does not have it verified first"},
			"as an act":                       {body: admit(func(b *core.TaskAdmitted) { b.Act = core.ActPullRequest }), says: "does not have it verified first"},
			"of a team":                       {change: func(r *core.Run) { r.Playbook.Phases[1].Team = &core.Team{} }, says: "does not have it verified first"},
			"with a document to hand in":      {body: admit(func(b *core.TaskAdmitted) { b.Outputs = []string{"a.md"} }), says: "is not there before"},
			"with something to change": {body: admit(func(b *core.TaskAdmitted) {
				b.Done = core.Check{Kind: core.CheckAll, Of: []core.Check{tree, {Kind: core.CheckChanged}}}
			}), says: "is not there before"},
			"without a check":         {body: admit(func(b *core.TaskAdmitted) { b.Done = core.Check{Kind: core.CheckAll} }), says: "is not there before"},
			"that somebody asked for": {change: at(1, func(s *core.Stage) { s.Reason = core.OpenFeedback }), says: "somebody does it"},
		}},
		"a branch is to be looked at": {first1(func(*core.Task) {}), decides, core.VerifyRequested{Task: "write.r1", Fresh: true}, nil, map[string]refusal{
			"for an attempt":    {body: core.VerifyRequested{Task: "write.r1", Attempt: "write.r1.a1", Fresh: true}, says: "has nothing to verify"},
			"from memory":       {body: core.VerifyRequested{Task: "write.r1"}, says: "has nothing to verify"},
			"twice":             {change: writer(func(t *core.Task) { t.Looked = true }), says: "has nothing to verify"},
			"not at first":      {change: writer(func(t *core.Task) { t.First = false }), says: "has nothing to verify"},
			"after an attempt":  {change: writer(func(t *core.Task) { t.Attempts = []*core.Attempt{{ID: "x"}} }), says: "has nothing to verify"},
			"while it is asked": {change: writer(func(t *core.Task) { t.Status = core.TaskVerifying }), says: "has nothing to verify"},
		}},
		"a branch was looked at": {looking, engine, saw, nil, map[string]refusal{
			"that was not asked for":  {change: writer(func(t *core.Task) { t.Status = core.TaskWaiting }), says: "has no validation under way"},
			"as if it were another":   {body: look(func(b *core.ValidateConcluded) { b.First = false }), says: "must say so, and no other may"},
			"of work from before":     {body: look(func(b *core.ValidateConcluded) { b.Commit = "c0" }), says: "on the work as it is"},
			"and passed with trouble": {body: look(func(b *core.ValidateConcluded) { b.Error = "disk" }), says: "on the work as it is"},
			"twice":                   {change: writer(func(t *core.Task) { t.Looked = true }), says: "has no validation under way"},
			"after an attempt":        {change: writer(func(t *core.Task) { t.Attempts = []*core.Attempt{{ID: "x"}} }), says: "has no validation under way"},
		}},
		"the run's branch was looked at": {with(phased, writer(func(t *core.Task) { t.Act, t.Status = core.ActValidate, core.TaskVerifying })), engine, look(func(b *core.ValidateConcluded) { b.First, b.Commit = false, "c0" }), nil, map[string]refusal{
			"as if nobody had worked": {body: saw, says: "must say so, and no other may"},
		}},
		"what was found done passes": {
			with(phased, atReview, func(r *core.Run) { r.Playbook.Phases[2].Gate = "" }, reviewer(func(t *core.Task) { t.First, t.Found, t.Attempts = true, "c1", nil })), decides, core.StagePassed{Stage: "review", Round: 1, Commit: "c1"}, nil, map[string]refusal{
				"unless it is not done":     {change: reviewer(func(t *core.Task) { t.Status = core.TaskWaiting }), says: "whose checks passed"},
				"unless it was not looked":  {change: reviewer(func(t *core.Task) { t.First = false }), says: "whose checks passed"},
				"unless nothing was found":  {change: reviewer(func(t *core.Task) { t.Found = "" }), says: "whose checks passed"},
				"unless the work has moved": {change: func(r *core.Run) { r.Head = "c5" }, says: "the work is at c5"},
			},
		},
		"a planner's decision":            {planner, engine, core.VerifyConcluded{Task: "d1.r0", Attempt: "d1.r0.a1", Passed: true, Decision: &core.PlannerDecision{}}, nil, nil},
		"a planner's decision that fails": {planner, engine, core.VerifyConcluded{Task: "d1.r0", Attempt: "d1.r0.a1"}, nil, nil},
		"other work beside a wave":        {with(planner, func(r *core.Run) { r.Task("d1.r0").Kind, r.Waves.Works = core.KindWork, nil }), engine, core.VerifyConcluded{Task: "d1.r0", Attempt: "d1.r0.a1", Passed: true}, nil, nil},
		"a resolution in a wave":          {with(planner, func(r *core.Run) { r.Task("d1.r0").Kind = core.KindResolve }), engine, core.VerifyConcluded{Task: "d1.r0", Attempt: "d1.r0.a1", Passed: true}, nil, nil},
	}
}

// TestWhoNamesAStageNamesOneThatIsThere: no event about a stage that the run does not
// have, or that is elsewhere, is lawful, whoever says it.
func TestWhoNamesAStageNamesOneThatIsThere(t *testing.T) {
	t.Parallel()
	me := core.Person("me")
	type said struct {
		body core.Body
		by   core.Actor
	}
	named := func(stage string) []said {
		about := core.Subject{Stage: stage}
		return []said{
			{core.ConditionRequested{Stage: stage}, decides}, {core.ConditionEvaluated{Stage: stage}, core.Engine()}, {core.StageOpened{Stage: stage}, decides},
			{core.TaskAdmitted{Stage: stage}, decides}, {core.TeamReduced{Stage: stage}, decides}, {core.StageDiscarded{Stage: stage}, decides},
			{core.FeedbackGiven{Stage: stage}, me}, {core.StagePassed{Stage: stage}, decides}, {core.StageSkipped{Stage: stage}, me}, {core.AttemptsReset{Stage: stage}, me},
			{core.ApprovalRequested{Subject: about}, decides}, {core.ApprovalGranted{Subject: about}, me},
		}
	}
	statuses := []core.StageStatus{core.StagePending, core.StageOpen, core.StageGated, core.StageDone, core.StageOmitted, core.StageStale}
	if got := wording.Hint(core.Law(phased(), me, core.RolledBack{Target: "nowhere"})); got != "its stages are: plan, write, review, publish" {
		t.Errorf("going back: the hint is %q", got)
	}
	for _, s := range named("nowhere") {
		r := phased()
		if core.TypeOf(s.body) == core.TypeApprovalGranted {
			r.Status = core.StatusAwaiting
		}
		err := core.Law(r, s.by, s.body)
		wants(t, string(core.TypeOf(s.body)), err, `the run has no stage "nowhere"`)
		if got := wording.Hint(err); got != "its stages are: plan, write, review, publish" {
			t.Errorf("%s: the hint is %q", core.TypeOf(s.body), got)
		}
	}
	for _, s := range named("write") {
		for _, status := range statuses {
			if _, allowed := core.StageNext(status, core.TypeOf(s.body)); allowed {
				continue
			}
			r := phased()
			r.Stages[1].Status = status
			if core.TypeOf(s.body) == core.TypeApprovalGranted {
				r.Status = core.StatusAwaiting
			}
			wants(t, string(core.TypeOf(s.body)), core.Law(r, s.by, s.body), "is not possible now: stage write is "+string(status))
		}
	}
}
