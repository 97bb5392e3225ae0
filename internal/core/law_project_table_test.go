package core_test

import (
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// merging adds the merge of the line api to a managed run.
func merging(status core.TaskStatus) func(*core.Run) {
	return func(r *core.Run) {
		s := r.Stage("api")
		s.Tasks = append(s.Tasks, &core.Task{ID: "api.r1.m", Stage: "api", Act: core.ActMerge, Status: status})
	}
}

// closed ends every stage of a managed run, and publishes what is verified.
func closed(r *core.Run) {
	for _, s := range r.Stages {
		s.Status = core.StageDone
	}
	r.PullRequest = &core.PullRequest{Commit: "c1", State: core.PullRequestMerged}
}

func line(change func(*core.Stage)) func(*core.Run) {
	return func(r *core.Run) { change(r.Stage("api")) }
}

// planning puts a stage whose work is done before all others.
func planning(id string) func(*core.Run) {
	return func(r *core.Run) {
		r.Stages = append([]*core.Stage{{ID: id, Status: core.StageOpen, Round: 1, Tasks: []*core.Task{
			{ID: id + ".r1", Stage: id, Status: core.TaskDone, Attempts: []*core.Attempt{passed(id+".r1", "c1")}},
		}}}, r.Stages...)
	}
}

func byRules(r *core.Run) { r.Playbook.Project.Roles = nil }

func projectRulings() map[string]ruling {
	next := core.StageOpened{Stage: "old", Round: 2, Base: "c1", Branch: "feature/x-old-2"}
	merged := core.MergeConcluded{Task: "api.r1.m", Into: "c1", From: "c2", Commit: "m", Passed: true, Results: []core.CheckResult{{Check: "go test", Passed: true}}}
	concluded := func(change func(*core.MergeConcluded)) core.Body {
		b := merged
		change(&b)
		return b
	}
	return map[string]ruling{
		"a line is opened": {
			managed, decides, next, nil, map[string]refusal{
				"in another round":      {body: core.StageOpened{Stage: "old", Round: 3, Base: "c1", Branch: "b"}, says: "round 3 is not its next"},
				"from elsewhere":        {body: core.StageOpened{Stage: "old", Round: 2, Base: "c0", Branch: "b"}, says: "starts from the work as it is"},
				"from nowhere":          {change: func(r *core.Run) { r.Head = "" }, body: core.StageOpened{Stage: "old", Round: 2, Branch: "b"}, says: "starts from the work as it is"},
				"on the run's branch":   {body: core.StageOpened{Stage: "old", Round: 2, Base: "c1", Branch: "feature/x"}, says: "the run's own branch is no step's"},
				"before the plan":       {change: func(r *core.Run) { r.Driving.Plan = nil }, says: "no work begins before there is a plan"},
				"without a plan":        {change: func(r *core.Run) { r.Driving.Plan.Digest = "" }, says: "no work begins before there is a plan"},
				"on another's branch":   {body: core.StageOpened{Stage: "old", Round: 2, Base: "c1", Branch: "feature/x-api-1"}, says: "is that of api"},
				"for a wish nobody has": {body: core.StageOpened{Stage: "old", Round: 2, Base: "c1", Branch: "b", Wish: "w"}, says: `nobody wants the change "w"`},
			},
		},
		"a line is merged": {
			with(managed, merging(core.TaskWaiting)), decides, core.VerifyRequested{Task: "api.r1.m"},
			map[string]func(*core.Run){
				"after what a review wanted was done": line(func(s *core.Stage) {
					s.Tasks = append([]*core.Task{{ID: "api.r1.v", Kind: core.KindReview, Status: core.TaskDone, Attempts: []*core.Attempt{
						{Status: core.AttemptEnded, Review: &core.Review{Status: core.ReviewChangesRequested}},
					}}}, s.Tasks...)
				}),
			},
			map[string]refusal{
				"twice":                {change: func(r *core.Run) { r.Task("api.r1.m").Status = core.TaskDone }, says: "the merge is done"},
				"without a branch":     {change: line(func(s *core.Stage) { s.Branch = "" }), says: "has nothing verified to merge"},
				"without work":         {change: line(func(s *core.Stage) { s.Line = "" }), says: "has nothing verified to merge"},
				"beside another merge": {change: func(r *core.Run) { r.Stages[0].Tasks = []*core.Task{{Act: core.ActMerge, Status: core.TaskVerifying}} }, says: "is about to move"},
				"beside the plan":      {change: func(r *core.Run) { r.Driving.PlanWrite = &core.PlanWrite{} }, says: "is about to move"},
				"before its work":      {change: func(r *core.Run) { r.Task("api.r1.t1").Status = core.TaskWaiting }, says: "api.r1.t1 is not done"},
				"while somebody works": {change: func(r *core.Run) { r.Task("api.r1.t1").Last().Status = core.AttemptRunning }, says: "api.r1.t1 is not done"},
				"against its review": {change: func(r *core.Run) {
					t := r.Task("api.r1.t1")
					t.Kind, t.Last().Review = core.KindReview, &core.Review{Status: core.ReviewChangesRequested}
				}, says: "the review of feature/x-api-1 wants changes"},
				"or looked at, twice": {change: func(r *core.Run) {
					r.Task("api.r1.m").Act, r.Task("api.r1.m").Status = core.ActValidate, core.TaskVerifying
				}, says: "is looked at already"},
			},
		},
		"a merge is concluded": {
			with(managed, merging(core.TaskVerifying)), core.Engine(), merged, nil, map[string]refusal{
				"of no task":           {body: concluded(func(b *core.MergeConcluded) { b.Task = "x" }), says: "task x merges nothing now"},
				"of other work":        {body: concluded(func(b *core.MergeConcluded) { b.Task = "api.r1.t1" }), says: "merges nothing now"},
				"twice":                {change: func(r *core.Run) { r.Task("api.r1.m").Status = core.TaskDone }, says: "merges nothing now"},
				"into what was before": {body: concluded(func(b *core.MergeConcluded) { b.Into = "c0" }), says: "the branches have moved since"},
				"of what was before":   {body: concluded(func(b *core.MergeConcluded) { b.From = "c1" }), says: "the branches have moved since"},
				"without a commit":     {body: concluded(func(b *core.MergeConcluded) { b.Commit = "" }), says: "a merge with conflicts does not pass"},
				"with conflicts":       {body: concluded(func(b *core.MergeConcluded) { b.Conflicts = []string{"a.go"} }), says: "a merge with conflicts does not pass"},
				"with an error":        {body: concluded(func(b *core.MergeConcluded) { b.Error = "disk" }), says: "a merge with conflicts does not pass"},
				"with a check that failed": {body: concluded(func(b *core.MergeConcluded) {
					b.Results = []core.CheckResult{{Check: "go test"}}
				}), says: "the merged tree does not pass go test"},
			},
		},
		"the plan is to be written": {
			managed, decides, core.PlanWriteRequested{}, nil, map[string]refusal{
				"twice":          {change: func(r *core.Run) { r.Driving.PlanWrite = &core.PlanWrite{} }, says: "the run's branch is about to move"},
				"beside a merge": {change: merging(core.TaskVerifying), says: "the run's branch is about to move"},
			},
		},
		"the plan is read": {
			with(managed, func(r *core.Run) { r.Driving.Plan = nil }), core.Engine(), core.PlanRead{}, nil, map[string]refusal{
				"twice": {change: func(r *core.Run) { r.Driving.Plan = &core.Plan{} }, says: "the plan is known already"},
			},
		},
		"the plan is written": {
			with(managed, func(r *core.Run) { r.Driving.PlanWrite = &core.PlanWrite{} }), core.Engine(), core.PlanUpdated{Old: "c1"}, nil, map[string]refusal{
				"that nobody wanted": {change: func(r *core.Run) { r.Driving.PlanWrite = nil }, says: "has moved since the plan was read"},
				"on what was before": {body: core.PlanUpdated{Old: "c0"}, says: "has moved since the plan was read"},
			},
		},
		"a line is given up": {
			managed, decides, core.StageDiscarded{Stage: "api", Round: 1}, nil, map[string]refusal{
				"in another round":  {body: core.StageDiscarded{Stage: "api", Round: 2}, says: "has no branch that could be given up"},
				"without a branch":  {change: line(func(s *core.Stage) { s.Branch = "" }), says: "has no branch that could be given up"},
				"that was merged":   {change: line(func(s *core.Stage) { s.Merged = "m" }), says: "has no branch that could be given up"},
				"while it is done":  {change: under("api.r1.t1", core.AttemptRunning), says: "api.r1.t1 is under way"},
				"while it is tried": {change: func(r *core.Run) { r.Task("api.r1.t1").Status = core.TaskVerifying }, says: "api.r1.t1 is under way"},
				"for another round": {body: core.StageDiscarded{Stage: "api", Round: 1, Again: true}, says: "was begun 1 times"},
			},
		},
		"a change is wanted": {
			managed, core.Person("me"), core.ChangesRequested{ID: "w", Text: "so"}, nil, map[string]refusal{
				"of a plan in the making": {change: planning(core.PlanStage), says: "the plan is being made"},
				"without a name":          {body: core.ChangesRequested{Text: "so"}, says: "was asked for before"},
				"twice":                   {change: func(r *core.Run) { r.Driving.Asked = []string{"w"} }, says: "was asked for before"},
				"without words":           {body: core.ChangesRequested{ID: "w"}, says: "needs words"},
				"of what was before":      {body: core.ChangesRequested{ID: "w", Text: "so", About: &core.Subject{Commit: "c0"}}, says: "you were shown commit c0"},
			},
		},
		"a review is awaited": {
			with(managed, closed), decides, core.ReviewAwaited{}, nil, map[string]refusal{
				"of nothing":            {change: func(r *core.Run) { r.PullRequest = nil }, says: "what is there now is not published"},
				"of what was published": {change: func(r *core.Run) { r.Verified = "c2" }, says: "what is there now is not published"},
				"with a wish left":      {change: func(r *core.Run) { r.Driving.Changes = []core.Changes{{ID: "w"}} }, says: "the work is not finished"},
				"with work left":        {change: line(func(s *core.Stage) { s.Status = core.StageOpen }), says: "the work is not finished"},
			},
		},
		"a project's run is completed": {
			with(managed, closed), decides, core.RunCompleted{}, nil, map[string]refusal{
				"unpublished":     {change: func(r *core.Run) { r.PullRequest = nil }, says: "is not all taken in"},
				"not taken in":    {change: func(r *core.Run) { r.PullRequest.State = core.PullRequestOpen }, says: "is not all taken in"},
				"taken in before": {change: func(r *core.Run) { r.Verified = "c2" }, says: "is not all taken in"},
				"with a wish":     {change: func(r *core.Run) { r.Driving.Changes = []core.Changes{{ID: "w"}} }, says: "is not all taken in"},
			},
		},
		"a line is skipped": {
			managed, core.Person("me"), core.StageSkipped{Stage: "api", Source: core.SkipPerson},
			map[string]func(*core.Run){"while its checks are stopped": func(r *core.Run) {
				r.Task("api.r1.t1").Status = core.TaskVerifying
				r.Status, r.Pause = core.StatusPaused, &core.Pause{Stop: true}
			}},
			map[string]refusal{
				"without which nothing goes": {body: core.StageSkipped{Stage: core.ManagerStage, Source: core.SkipPerson}, says: "without it the project comes to nothing"},
				"while it is worked on":      {change: under("api.r1.t1", core.AttemptRunning), says: "cannot be skipped while api.r1.t1 is under way"},
				"while it is tried":          {change: func(r *core.Run) { r.Task("api.r1.t1").Status = core.TaskVerifying }, says: "cannot be skipped while api.r1.t1 is under way"},
			},
		},
		"feedback on a plan": {
			with(managed, planning(core.PlanStage)), core.Person("me"), core.FeedbackGiven{Stage: core.PlanStage, Text: "so"}, nil, map[string]refusal{
				"on the work instead": {change: func(r *core.Run) { r.Stages[0].ID = "other" }, body: core.FeedbackGiven{Stage: "other", Text: "so"}, says: "takes no feedback of its own"},
				"by going back":       {body: core.RolledBack{Target: "api"}, says: "does not go back"},
			},
		},
		"a plan passes": {
			with(managed, planning(core.PlanStage)), decides, core.StagePassed{Stage: core.PlanStage, Round: 1, Commit: "c1"}, nil, map[string]refusal{
				"that somebody is to see":    {change: func(r *core.Run) { r.Playbook.Project.PlanGate = core.GateApproval }, says: "waits for an approval"},
				"or is published, by itself": {change: func(r *core.Run) { r.Stages[0].ID = core.PublishStage }, body: core.StagePassed{Stage: core.PublishStage, Round: 1}, says: "waits for an approval"},
			},
		},
		"a task of a line": {
			with(managed, func(r *core.Run) { r.Playbook.Project.Reviews = 1 }), decides, core.TaskAdmitted{Task: "y", Stage: "api", Round: 1, Attempts: 1, Kind: core.KindReview}, nil, map[string]refusal{
				"that was reviewed enough": {change: line(func(s *core.Stage) { s.Reviews = 1 }), says: "had all its tasks of kind review"},
				"that was fixed enough": {
					change: line(func(s *core.Stage) { s.Fixes = 1 }), body: core.TaskAdmitted{Task: "y", Stage: "api", Round: 1, Attempts: 1, Kind: core.KindFix}, says: "had all its tasks of kind fix",
				},
			},
		},
		"an attempt at a line": {
			with(managed, func(r *core.Run) {
				r.Playbook.Roles = map[string]core.Role{"dev": {}}
				s := r.Stage("api")
				s.Tasks = append(s.Tasks, &core.Task{ID: "api.r1.t2", Stage: "api", Role: "dev", Writes: core.WritesCode, Status: core.TaskWaiting, Limit: 1})
				r.Stages = append(r.Stages, &core.Stage{ID: "web", Status: core.StageOpen, Branch: "feature/x-web-1", Tasks: []*core.Task{
					{ID: "web.r1", Stage: "web", Writes: core.WritesCode, Status: core.TaskRunning, Attempts: []*core.Attempt{{ID: "web.r1.a1", Status: core.AttemptRunning}}},
				}})
			}), decides, core.AttemptRequested{Task: "api.r1.t2", Attempt: core.AttemptID("api.r1.t2", 1), N: 1, Base: "c2"}, nil, map[string]refusal{
				"beside a writer of its branch": {change: func(r *core.Run) { r.Stage("web").Branch = "feature/x-api-1" }, says: "attempt web.r1.a1 is writing the same branch"},
			},
		},
	}
}

// turning is a managed run whose manager is at work, and a worker beside it.
func turning() *core.Run {
	r := managed()
	r.Playbook.Roles = map[string]core.Role{"boss": {Name: "boss"}, "dev": {Name: "dev"}}
	r.Stages[0].Tasks = []*core.Task{{
		ID: "manager.r1", Stage: core.ManagerStage, Kind: core.KindManage, Role: "boss", Status: core.TaskRunning,
		Attempts: []*core.Attempt{{ID: "manager.r1.a1", Status: core.AttemptRunning}},
	}}
	r.Stages = append(r.Stages, &core.Stage{ID: "web", Status: core.StageOpen, Branch: "feature/x-web-1", Tasks: []*core.Task{{
		ID: "web.r1", Stage: "web", Role: "dev", Status: core.TaskRunning, Attempts: []*core.Attempt{{ID: "web.r1.a1", Status: core.AttemptRunning}},
	}}})
	r.Questions = []core.Question{{ID: "q1", Text: "Loud?", Default: "no", Due: time.Unix(100, 0)}}
	r.Answers = []core.Answer{{Question: core.Question{ID: core.QuestionID("", "Old?")}, Text: "yes"}}
	return r
}

func managerRulings() map[string]ruling {
	me, boss, worker := core.Person("me"), core.Actor{Kind: core.ActorAgent, ID: "manager.r1.a1"}, core.Actor{Kind: core.ActorAgent, ID: "web.r1.a1"}
	long := strings.Repeat("x", core.MaxPrompt+1)
	speak := core.MessageSent{Voice: core.VoiceGreen, Text: "x"}
	ask := core.QuestionAsked{ID: core.QuestionID("", "New?"), Text: "New?"}
	draft := core.PlanProposed{Base: "d", Files: []core.PlanFile{{Name: "plan.md"}}, Message: "m"}
	rules := core.Playbook{Kind: "rules", Project: &core.Management{Attempts: 1}}
	quiet := with(managed, closed, func(r *core.Run) {
		r.Managing.Delegations, r.PullRequest = nil, nil
		r.Stages[1].Merged, r.Stages[1].Tasks = "m", nil
	})
	return map[string]ruling{
		"a manager speaks": {
			turning, boss, speak, nil, map[string]refusal{
				"by a tool it lacks":       {change: func(r *core.Run) { r.Playbook.Roles["boss"] = core.Role{Tools: []string{core.ToolPlan.Command()}} }, says: "the role boss does not list the tool"},
				"too often":                {change: func(r *core.Run) { r.Stages[0].Turn.Deeds = messagesSent(core.MaxMessages) }, says: "messages were sent already"},
				"after too many calls":     {change: func(r *core.Run) { r.Stages[0].Turn.Calls = core.MaxDeeds }, says: "has called its tools 100 times"},
				"without words":            {body: core.MessageSent{Voice: core.VoiceGreen, Text: " "}, says: "a message needs words"},
				"without end":              {body: core.MessageSent{Voice: core.VoiceGreen, Text: long}, says: "the message has"},
				"without a voice":          {body: core.MessageSent{Text: "x"}, says: "a message needs a voice"},
				"as a person to the rules": {change: byRules, actor: me, body: core.MessageSent{Voice: core.VoiceUser, Text: "x"}, says: "nobody would read the message"},
				"and reads details":        {body: core.DetailFetched{}, says: "has no details"},
				"the same words once more": {change: func(r *core.Run) { r.Calls = []core.Heard{{Tool: core.ToolMessage, Call: "c"}} }, body: core.MessageSent{Voice: core.VoiceGreen, Text: "x", Call: "c"}, says: "was carried out before"},
				"from another attempt":     {actor: core.Actor{Kind: core.ActorAgent, ID: "manager.r9.a1"}, says: "attempt manager.r9.a1 is over"},
			},
		},
		"a worker speaks": {
			turning, worker, core.MessageSent{Voice: core.VoiceRed, Text: "x"}, nil, map[string]refusal{
				"too often":     {change: func(r *core.Run) { r.Task("web.r1").Last().Said = core.MaxMessages }, says: "messages were sent already"},
				"and delegates": {body: core.TaskProposed{Delegation: "t2", Proposal: core.Proposal{Prompt: "x"}}, says: "only the manager may do that"},
				"and plans":     {body: draft, says: "only the manager may do that"},
				"and asks":      {body: ask, says: "only the manager may do that"},
			},
		},
		"a question": {
			turning, boss, ask, nil, map[string]refusal{
				"of the rules":             {change: byRules, actor: me, says: "nobody would read the answer"},
				"without words":            {body: core.QuestionAsked{ID: "q", Text: " "}, says: "a question has between one and"},
				"without end":              {body: core.QuestionAsked{ID: "q", Text: long}, says: "a question has between one and"},
				"with a default of no end": {body: core.QuestionAsked{ID: ask.ID, Text: ask.Text, Default: long, After: 1}, says: "the default answer has"},
				"with a default at once":   {body: core.QuestionAsked{ID: ask.ID, Text: ask.Text, Default: "no"}, says: "needs a time after which it holds"},
				"that was answered":        {body: core.QuestionAsked{ID: core.QuestionID("", "Old?"), Text: "Old?"}, says: "the answer was: yes"},
				"that is open":             {change: func(r *core.Run) { r.Questions[0].ID = ask.ID }, says: "is asked already and waits for an answer"},
				"in another's voice":       {body: core.QuestionAsked{ID: ask.ID, Text: ask.Text, Voice: core.VoiceRed}, says: "does not speak as red"},
			},
		},
		"an answer": {
			turning, me, core.QuestionAnswered{ID: "q1", Text: "yes"}, nil, map[string]refusal{
				"given before":             {body: core.QuestionAnswered{ID: core.QuestionID("", "Old?"), Text: "no"}, says: "was answered before: yes"},
				"to no question":           {body: core.QuestionAnswered{ID: "q9", Text: "no"}, says: "has no question q9"},
				"without words":            {body: core.QuestionAnswered{ID: "q1", Text: " "}, says: "an answer needs words"},
				"without end":              {body: core.QuestionAnswered{ID: "q1", Text: long}, says: "the answer has"},
				"as if by default":         {body: core.QuestionAnswered{ID: "q1", Text: "no", Default: true}, says: "is not a person's answer"},
				"by a decider's own words": {actor: decides, says: "is not a person's answer"},
				"of both kinds":            {actor: decides, body: core.QuestionAnswered{ID: "q1", Text: "no", Default: true, Planner: true}, says: "is not a person's answer"},
				"of a planner":             {actor: decides, body: core.QuestionAnswered{ID: "q1", Text: "no", Planner: true}, says: "is not for a planner to answer"},
				"by default, too early":    {actor: decides, body: core.QuestionAnswered{ID: "q1", Text: "no", Default: true}, says: "its default does not hold yet"},
				"by another default":       {change: later, actor: decides, body: core.QuestionAnswered{ID: "q1", Text: "yes", Default: true}, says: "its default does not hold yet"},
				"by no default":            {change: func(r *core.Run) { later(r); r.Questions[0].Default = "" }, actor: decides, body: core.QuestionAnswered{ID: "q1", Text: "no", Default: true}, says: "its default does not hold yet"},
			},
		},
		"an answer by default": {
			with(turning, later), decides, core.QuestionAnswered{ID: "q1", Text: "no", Default: true}, nil, nil,
		},
		"a delegation": {
			turning, boss, core.TaskProposed{Delegation: "t2", Proposal: core.Proposal{Prompt: "x"}}, nil, map[string]refusal{
				"to the rules":       {change: byRules, actor: me, says: "its work is what the plan says"},
				"without end":        {body: core.TaskProposed{Delegation: "t2", Proposal: core.Proposal{Prompt: long}}, says: "the prompt has"},
				"of too many names":  {body: core.TaskProposed{Delegation: "t2", Proposal: core.Proposal{Prompt: "x", After: make([]string, core.MaxNames+1)}}, says: "names at most"},
				"in another's voice": {body: core.TaskProposed{Delegation: "t2", Proposal: core.Proposal{Prompt: "x", Voice: core.VoiceUser}}, says: "does not speak as user"},
			},
		},
		"a delegation is refused": {
			with(turning, func(r *core.Run) { r.Managing.Delegations[0].Status = core.DelegationWaiting }), decides, core.TaskRefused{Delegation: "t1"}, nil, map[string]refusal{
				"that is unknown":    {body: core.TaskRefused{Delegation: "t9"}, says: "does not wait for a decision"},
				"that has begun":     {change: func(r *core.Run) { r.Managing.Delegations[0].Status = core.DelegationOpen }, says: "does not wait for a decision"},
				"as a task, unknown": {body: core.TaskFailed{Task: "x"}, says: "task x is not to be given up"},
				"as a task, done":    {body: core.TaskFailed{Task: "api.r1.t1"}, says: "is not to be given up"},
			},
		},
		"a plan is proposed": {
			turning, boss, draft, nil, map[string]refusal{
				"before one was read":  {change: func(r *core.Run) { r.Driving.Plan = nil }, says: "the plan is being read"},
				"beside another":       {change: func(r *core.Run) { r.Managing.PlanProposed = &core.PlanWrite{} }, says: "another change of the plan is being committed"},
				"while one is written": {change: func(r *core.Run) { r.Driving.PlanWrite = &core.PlanWrite{} }, says: "another change of the plan is being committed"},
				"without a change":     {body: core.PlanProposed{Base: "d", Message: "m"}, says: "nothing of the plan is different"},
				"without a message":    {body: core.PlanProposed{Base: "d", Files: draft.Files, Message: " "}, says: "needs a message"},
				"in another's voice":   {body: core.PlanProposed{Base: "d", Files: draft.Files, Message: "m", Voice: core.VoiceUser}, says: "does not speak as user"},
			},
		},
		"a call is refused": {
			turning, core.Engine(), core.ToolRefused{Attempt: "web.r1.a1"}, nil, map[string]refusal{
				"of nobody":             {body: core.ToolRefused{Attempt: "x"}, says: "attempt x is not of a current round"},
				"too often":             {change: func(r *core.Run) { r.Task("web.r1").Last().Refused = core.MaxDeeds }, says: "which is enough"},
				"and a look at nothing": {body: core.ValidateConcluded{Task: "x"}, says: "task x has no validation under way"},
				"and a look at no act":  {body: core.ValidateConcluded{Task: "web.r1"}, says: "task web.r1 has no validation under way"},
			},
		},
		"a project changes hands": {
			quiet, me, core.PlaybookSwapped{Playbook: rules}, nil, map[string]refusal{
				"to phases":             {body: core.PlaybookSwapped{}, says: "only playbooks that drive a project"},
				"at a gate":             {change: func(r *core.Run) { r.Stages[1].Status, r.Stages[1].Gate = core.StageGated, &core.Gate{} }, says: "stage api waits for an approval"},
				"with work under way":   {change: func(r *core.Run) { r.Stages[1].Tasks = []*core.Task{{ID: "t", Status: core.TaskVerifying}} }, says: "something is under way"},
				"with a plan under way": {change: func(r *core.Run) { r.Managing.PlanProposed = &core.PlanWrite{} }, says: "something is under way"},
				"with an agent at work": {change: func(r *core.Run) {
					r.Stages[0].Tasks = []*core.Task{{ID: "t", Status: core.TaskDropped, Attempts: []*core.Attempt{{Status: core.AttemptRunning}}}}
				}, says: "something is under way"},
				"with work that waits": {change: func(r *core.Run) {
					r.Managing.Delegations = []*core.Delegation{{ID: "t1", Status: core.DelegationWaiting}}
				}, says: "delegated work waits to be begun"},
				"with more attempts":     {body: core.PlaybookSwapped{Playbook: core.Playbook{Project: &core.Management{Attempts: 99}}}, says: "the playbook wants 99 attempts"},
				"with a question open":   {change: func(r *core.Run) { r.Questions = []core.Question{{ID: "q", Text: "Loud?"}} }, says: "would not read the answer: Loud?"},
				"with a line of its own": {change: func(r *core.Run) { r.Stages[1].Merged, r.Stages[1].Status = "", core.StageOpen }, says: "is neither merged nor given up"},
			},
		},
	}
}

// messagesSent are n messages of a turn.
func messagesSent(n int) []core.Deed {
	deeds := make([]core.Deed, n)
	for i := range deeds {
		deeds[i].Tool = core.ToolMessage
	}
	return deeds
}

// later is when the default of the question holds.
func later(r *core.Run) { r.Stream.At = time.Unix(200, 0) }
