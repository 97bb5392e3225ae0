package core_test

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// passed is an attempt whose checks passed.
func passed(task, commit string, artifacts ...string) *core.Attempt {
	d := &core.Delivery{Commit: commit}
	for _, name := range artifacts {
		d.Artifacts = append(d.Artifacts, core.Artifact{Name: name, Digest: "d-" + name})
	}
	return &core.Attempt{ID: core.AttemptID(task, 1), N: 1, Status: core.AttemptEnded, Verdict: core.VerdictPassed, Delivery: d}
}

// phased is a run by phases: the plan is made, the writer's second attempt is
// due, and somebody else has done their part of the round.
func phased() *core.Run {
	return &core.Run{
		ID: "r", Alias: "r", Status: core.StatusActive, Branch: "feature/x", BaseCommit: "c0", Head: "c1", Verified: "c1", Limits: core.DefaultLimits(),
		Playbook: &core.Playbook{
			Kind: "phases", Roles: map[string]core.Role{"dev": {Name: "dev", Capabilities: []string{"shell"}}},
			Phases: []core.Phase{
				{ID: "plan", Outputs: []string{core.PlanArtifact, "plan.md"}, Gate: core.GateApproval},
				{ID: "write", Team: &core.Team{Fallback: "dev"}}, {ID: "review", Gate: core.GateApproval, Skip: true, When: "x", Skippable: true},
				{ID: "publish", Act: core.ActPullRequest},
			},
		},
		Stages: []*core.Stage{
			{ID: "plan", Status: core.StageDone, Round: 1, Tasks: []*core.Task{
				{ID: "plan.r1", Stage: "plan", Status: core.TaskDone, Outputs: []string{"plan.md"}, Attempts: []*core.Attempt{passed("plan.r1", "c1", "plan.md")}},
			}},
			{ID: "write", Status: core.StageOpen, Round: 1, Base: "c1", Tasks: []*core.Task{
				{ID: "write.r1.x", Stage: "write", Status: core.TaskDone, Writes: core.WritesCode, Attempts: []*core.Attempt{passed("write.r1.x", "c1")}},
				{
					ID: "write.r1", Stage: "write", Role: "dev", Status: core.TaskWaiting, Writes: core.WritesCode, Needs: []string{"shell"},
					Inputs: []core.Input{{Name: "plan.md"}}, DependsOn: []string{"write.r1.x"}, Limit: 3, Requested: 1, Counted: 1,
				},
			}},
			{ID: "review", Status: core.StagePending}, {ID: "publish", Status: core.StagePending},
		},
	}
}

// with changes a copy of a state.
func with(state func() *core.Run, changes ...func(*core.Run)) func() *core.Run {
	return func() *core.Run {
		r := state()
		for _, change := range changes {
			change(r)
		}
		return r
	}
}

// handedIn has the writer's first attempt in a task of a status.
func handedIn(status core.TaskStatus) func(*core.Run) {
	return func(r *core.Run) {
		t := r.Task("write.r1")
		t.Status, t.Attempts = status, []*core.Attempt{{ID: "write.r1.a1", N: 1, Status: core.AttemptEnded, Delivery: &core.Delivery{Commit: "c2"}}}
	}
}

// under has the first attempt of a task under way.
func under(task string, status core.AttemptStatus) func(*core.Run) {
	return func(r *core.Run) {
		t := r.Task(task)
		t.Status, t.Attempts = core.TaskRunning, []*core.Attempt{{ID: core.AttemptID(task, 1), N: 1, Status: status}}
	}
}

func writer(change func(*core.Task)) func(*core.Run) {
	return func(r *core.Run) { change(r.Task("write.r1")) }
}

func workRulings() map[string]ruling {
	wanting := with(phased, func(r *core.Run) {
		under("write.r1", core.AttemptRunning)(r)
		a := r.Task("write.r1").Last()
		a.Reserved, a.Answered, a.Wants = &core.Amount{USD: 1, Tokens: 10}, 1, &core.Want{Seq: 2, Amount: core.Amount{USD: 4, Tokens: 40}}
	})
	next := core.AttemptRequested{Task: "write.r1", Attempt: core.AttemptID("write.r1", 2), N: 2, Base: "c1"}
	admitted := core.TaskAdmitted{Task: "write.r1.y", Stage: "write", Round: 1, Attempts: 1}
	reduced := core.TeamReduced{Stage: "write", Round: 1, Role: "dev", Dropped: []string{"write.r1.x", "write.r1"}}
	used := with(phased, func(r *core.Run) {
		x, w := r.Task("write.r1.x"), r.Task("write.r1")
		x.Status, x.Limit, x.Counted, w.DependsOn = core.TaskWaiting, 3, 3, []string{"write.r1.x"}
	})
	opened := core.StageOpened{Stage: "write", Round: 1, Base: "c1"}
	pending := with(phased, func(r *core.Run) {
		r.Stages[1] = &core.Stage{ID: "write", Status: core.StagePending}
	})
	verdict := core.VerifyConcluded{Task: "write.r1", Attempt: "write.r1.a1", Passed: true}
	return map[string]ruling{
		"a run starts": {
			func() *core.Run { return nil }, core.Person("me"), core.RunStarted{Run: "r"}, nil, map[string]refusal{
				"by an agent":             {actor: core.Actor{Kind: core.ActorAgent, ID: "a1"}, says: "RunStarted is not for agent a1 to say"},
				"with something else":     {body: core.RunCancelled{}, says: "RunCancelled before the run started"},
				"in a session, a project": {body: core.RunStarted{Session: "s", Playbook: core.Playbook{Project: &core.Management{}}}, says: "a project is not driven inside a session"},
				"in a session, approved ahead": {
					actor: session("s"), body: core.RunStarted{Session: "s", Policy: &core.RunPolicy{Approve: true}}, says: "cannot approve every gate ahead",
				},
			},
		},
		"a condition": {
			with(phased, func(r *core.Run) { r.Stages[2].Asked = true }), core.Engine(), core.ConditionEvaluated{Stage: "review"}, nil, map[string]refusal{
				"that nobody asked for": {change: func(r *core.Run) { r.Stages[2].Asked = false }, says: "does not ask for its condition"},
				"of a stage unknown":    {body: core.ConditionEvaluated{Stage: "nowhere"}, says: `the run has no stage "nowhere"`},
				"of an open stage":      {body: core.ConditionEvaluated{Stage: "write"}, says: "stage write is open"},
			},
		},
		"a stage is opened": {
			pending, decides, opened, nil, map[string]refusal{
				"when all are closed": {change: func(r *core.Run) {
					for _, s := range r.Stages {
						s.Status = core.StageDone
					}
				}, says: "is opened out of order"},
				"out of order":               {body: core.StageOpened{Stage: "review", Round: 1, Base: "c1"}, says: "is opened out of order"},
				"in another round":           {body: core.StageOpened{Stage: "write", Round: 2, Base: "c1"}, says: "round 2 cannot follow round 0"},
				"from elsewhere":             {body: core.StageOpened{Stage: "write", Round: 1, Base: "c0"}, says: "starts from the work as it is"},
				"from nowhere":               {change: func(r *core.Run) { r.Head = "" }, body: core.StageOpened{Stage: "write", Round: 1}, says: "starts from the work as it is"},
				"twice, as if the run began": {body: core.RunStarted{}, actor: core.Person("me"), says: "a run starts once"},
				"in a run that is over":      {change: func(r *core.Run) { r.Status = core.StatusCancelled }, says: "is not possible now: the run is cancelled"},
			},
		},
		"a task is admitted": {
			phased, decides, admitted, nil, map[string]refusal{
				"without attempts":              {body: core.TaskAdmitted{Task: "y", Stage: "write", Round: 1}, says: "asks for 0 attempts"},
				"with too many attempts":        {body: core.TaskAdmitted{Task: "y", Stage: "write", Round: 1, Attempts: core.DefaultLimits().Attempts + 1}, says: "the run allows"},
				"of another round":              {body: core.TaskAdmitted{Task: "y", Stage: "write", Round: 2, Attempts: 1}, says: "not of the stage's current round"},
				"as a manager's turn":           {body: core.TaskAdmitted{Task: "y", Stage: "write", Round: 1, Attempts: 1, Kind: core.KindManage}, says: "a manager's turn is a stage of its own"},
				"as a planner's round":          {body: core.TaskAdmitted{Task: "y", Stage: "write", Round: 1, Attempts: 1, Kind: core.KindWave}, says: "a planner's round is a stage of its own"},
				"for a delegation nobody wants": {body: core.TaskAdmitted{Task: "y", Stage: "write", Round: 1, Attempts: 1, Delegation: "t9"}, says: "t9 does not wait to be begun"},
			},
		},
		"an act is admitted": {
			with(phased, atPublish, func(r *core.Run) { r.Stages[3].Status = core.StageOpen }), decides,
			core.TaskAdmitted{Task: "publish.r1", Stage: "publish", Round: 1, Act: core.ActPullRequest}, nil, nil,
		},
		"a task of a phase called as a manager's stage": {
			with(phased, func(r *core.Run) { r.Stages[1].ID, r.Playbook.Phases[1].ID = core.ManagerStage, core.ManagerStage }), decides,
			core.TaskAdmitted{Task: "y", Stage: core.ManagerStage, Round: 1, Attempts: 1}, nil, nil,
		},
		"a team is reduced": {
			used, decides, reduced, nil, map[string]refusal{
				"of a stage that waits":   {change: func(r *core.Run) { r.Stages[0].Status = core.StageStale }, says: "is not at round 1"},
				"of another round":        {body: core.TeamReduced{Stage: "write", Round: 2, Role: "dev", Dropped: reduced.Dropped}, says: "is not at round 2"},
				"to somebody else":        {body: core.TeamReduced{Stage: "write", Round: 1, Role: "boss", Dropped: reduced.Dropped}, says: `does not let "boss" do it alone`},
				"to nobody":               {change: func(r *core.Run) { r.Playbook.Phases[1].Team.Fallback = "" }, body: core.TeamReduced{Stage: "write", Round: 1, Dropped: reduced.Dropped}, says: `does not let "" do it alone`},
				"that is none":            {change: func(r *core.Run) { r.Playbook.Phases[1].Team = nil }, says: "do it alone"},
				"twice":                   {change: func(r *core.Run) { r.Stages[1].Reduced = "before" }, says: "was given up before"},
				"while one has tries":     {change: func(r *core.Run) { r.Task("write.r1.x").Counted = 0 }, says: "have not all come to an end"},
				"giving up somebody else": {body: core.TeamReduced{Stage: "write", Round: 1, Role: "dev", Dropped: []string{"write.r1"}}, says: "have not all come to an end"},
			},
		},
		"an attempt": {
			phased, decides, next,
			map[string]func(*core.Run){
				"beside who writes documents": func(r *core.Run) {
					under("plan.r1", core.AttemptRunning)(r)
					r.Task("plan.r1").Writes, r.Task("write.r1").Inputs = core.WritesArtifacts, nil
				},
				"for documents beside a writer": func(r *core.Run) {
					under("plan.r1", core.AttemptRunning)(r)
					r.Task("plan.r1").Writes, r.Task("write.r1").Writes, r.Task("write.r1").Inputs = core.WritesCode, core.WritesArtifacts, nil
				},
				"without an input it may lack": func(r *core.Run) {
					r.Task("write.r1").Inputs = append(r.Task("write.r1").Inputs, core.Input{Name: "notes.md", Optional: true})
				},
				"with its last try": writer(func(t *core.Task) { t.Counted = 2 }),
			},
			map[string]refusal{
				"of no task":                {body: core.AttemptRequested{Task: "x", Attempt: "x.a1", N: 1}, says: "no task x in the current rounds"},
				"at a gate":                 {change: func(r *core.Run) { r.Stages[1].Status = core.StageGated }, says: "stage write is not open"},
				"of a stage that waits":     {change: func(r *core.Run) { r.Stages[0].Status = core.StageStale }, says: "stage write is not open"},
				"of a task under way":       {change: writer(func(t *core.Task) { t.Status = core.TaskVerifying }), says: "the task is verifying"},
				"that leaves one out":       {body: core.AttemptRequested{Task: "write.r1", Attempt: core.AttemptID("write.r1", 3), N: 3, Base: "c1"}, says: "is not the task's next"},
				"by another name":           {body: core.AttemptRequested{Task: "write.r1", Attempt: "write.r1.a9", N: 2, Base: "c1"}, says: "is not the task's next"},
				"more than there are":       {change: writer(func(t *core.Task) { t.Counted = 3 }), says: "has used its 3 attempts"},
				"from elsewhere":            {body: core.AttemptRequested{Task: "write.r1", Attempt: next.Attempt, N: 2, Base: "c0"}, says: "does not start from the round's work"},
				"too early":                 {change: writer(func(t *core.Task) { t.NotBefore = time.Now() }), says: "is not to be tried before"},
				"without money":             {change: func(r *core.Run) { r.Limits.CostUSD, r.Usage.CostUSD = 1, 1 }, says: "attempt " + next.Attempt + ": "},
				"with too large a portion":  {change: func(r *core.Run) { r.Limits.CostUSD = 1 }, body: core.AttemptRequested{Task: next.Task, Attempt: next.Attempt, N: next.N, Base: next.Base, Reserve: &core.Amount{USD: 1.5}}, says: "are more than is left"},
				"without the project's":     {change: func(r *core.Run) { r.Limits.Project.CostUSD, r.Others.CostUSD = 1, 1 }, says: "have cost $1.00"},
				"without its input":         {change: func(r *core.Run) { r.Task("plan.r1").Outputs = nil }, says: "lacks its input plan.md"},
				"before what it depends on": {change: func(r *core.Run) { r.Task("write.r1.x").Status = core.TaskWaiting }, says: "depends on write.r1.x, which is not done"},
				"after what is not there":   {change: writer(func(t *core.Task) { t.DependsOn = []string{"gone"} }), says: "depends on gone, which is not done"},
				"at an act of the engine's": {change: writer(func(t *core.Task) { t.Act = core.ActPullRequest }), says: "no agent may do it"},
				"by nobody":                 {change: writer(func(t *core.Task) { t.Role = "ghost" }), says: `no role "ghost"`},
				"by who cannot":             {change: writer(func(t *core.Task) { t.Needs = []string{"deploy"} }), says: `needs the capability "deploy"`},
				"beside a writer": {change: func(r *core.Run) {
					under("plan.r1", core.AttemptRunning)(r)
					r.Task("plan.r1").Writes = core.WritesCode
					r.Task("write.r1").Inputs = nil
				}, says: "is writing the same branch"},
				"beside one who is to begin": {change: func(r *core.Run) { under("write.r1.x", core.AttemptPending)(r); r.Task("write.r1").DependsOn = nil }, says: "is writing the same branch"},
				"beside one who is to end":   {change: func(r *core.Run) { under("write.r1.x", core.AttemptStopping)(r); r.Task("write.r1").DependsOn = nil }, says: "is writing the same branch"},
			},
		},
		"an allowance": {
			wanting, decides, core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 2, Amount: core.Amount{USD: 4, Tokens: 40}},
			map[string]func(*core.Run){
				"of all that is left":      func(r *core.Run) { r.Limits.CostUSD, r.Limits.Tokens = 4, 40 },
				"of the project's":         func(r *core.Run) { r.Limits.Project.CostUSD, r.Others.CostUSD, r.Others.HeldUSD = 6, 1, 1 },
				"before the agent started": func(r *core.Run) { r.Task("write.r1").Last().Status = core.AttemptPending },
				"at a pause":               func(r *core.Run) { r.Status, r.Pause = core.StatusPaused, &core.Pause{} },
				"for what was overspent": func(r *core.Run) {
					r.Limits.CostUSD, r.Task("write.r1").Last().Metered, r.Usage.CostUSD = 3, &core.Usage{CostUSD: 4}, 4
				},
			},
			map[string]refusal{
				"of an unknown attempt":            {body: core.AllowanceReserved{Attempt: "write.r9.a1", Seq: 2}, says: "is not of a current round"},
				"after its end":                    {change: func(r *core.Run) { r.Task("write.r1").Last().Status = core.AttemptEnded }, says: "is not possible now"},
				"when to be stopped":               {change: func(r *core.Run) { r.Task("write.r1").Last().Status = core.AttemptStopping }, says: "is not possible now"},
				"that nobody wants":                {change: func(r *core.Run) { r.Task("write.r1").Last().Wants = nil }, says: "does not ask for this"},
				"for another want":                 {body: core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 1}, says: "does not ask for this"},
				"that is refused and given":        {body: core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 2, Amount: core.Amount{USD: 4, Tokens: 10}, Short: &core.Shortage{}, Refused: true}, says: "a refusal adds nothing"},
				"that is refused without a word":   {body: core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 2, Amount: core.Amount{USD: 1, Tokens: 10}, Refused: true}, says: "and says why"},
				"that gives back what nobody kept": {body: core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 2, Amount: core.Amount{USD: 1, Tokens: 10}, Returned: true}, says: "giving back adds nothing"},
				"that gives back and adds": {
					change: func(r *core.Run) {
						r.Task("write.r1").Last().Wants = &core.Want{Seq: 2, Keeps: &core.Amount{USD: 0.5, Tokens: 5}}
					},
					body: core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 2, Amount: core.Amount{USD: 0.75, Tokens: 10}, Returned: true}, says: "giving back adds nothing",
				},
				"of less than is kept": {
					change: func(r *core.Run) { r.Task("write.r1").Last().Wants.Keeps = &core.Amount{USD: 0.5, Tokens: 5} },
					body:   core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 2, Amount: core.Amount{USD: 0.25, Tokens: 40}}, says: "cannot become less",
				},
				"of more than the attempt may": {change: func(r *core.Run) { r.Limits.Attempt.CostUSD = 3.5 }, says: "are more than is left"},
				"of less money":                {body: core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 2, Amount: core.Amount{USD: 0.5, Tokens: 40}}, says: "cannot become less"},
				"of fewer tokens":              {body: core.AllowanceReserved{Attempt: "write.r1.a1", Seq: 2, Amount: core.Amount{USD: 4, Tokens: 9}}, says: "cannot become less"},
				"of too much money":            {change: func(r *core.Run) { r.Limits.CostUSD = 3.999999999 }, says: "are more than is left"},
				"of too many tokens":           {change: func(r *core.Run) { r.Limits.Tokens = 39 }, says: "are more than is left"},
				"of what others spent":         {change: func(r *core.Run) { r.Limits.Project.CostUSD, r.Others.CostUSD = 6, 2.5 }, says: "are more than is left"},
				"of what others hold":          {change: func(r *core.Run) { r.Limits.Project.Tokens, r.Others.HeldTokens = 60, 21 }, says: "are more than is left"},
				"of what the run spent":        {change: func(r *core.Run) { r.Limits.CostUSD, r.Usage.CostUSD = 6, 2.5 }, says: "are more than is left"},
				"by the word of an engine":     {actor: core.Engine(), says: "is not for the engine to say"},
			},
		},
		"an attempt exits": {
			with(phased, under("write.r1", core.AttemptRunning)), core.Engine(), core.AttemptExited{Attempt: "write.r1.a1"}, nil, map[string]refusal{
				"that is unknown":             {body: core.AttemptExited{Attempt: "write.r9.a1"}, says: "is not of a current round"},
				"twice":                       {change: func(r *core.Run) { r.Task("write.r1").Last().Status = core.AttemptEnded }, says: "is not possible now"},
				"or starts, running":          {body: core.AttemptStarted{Attempt: "write.r1.a1"}, says: "is not possible now"},
				"or is stopped, ended":        {change: func(r *core.Run) { r.Task("write.r1").Last().Status = core.AttemptEnded }, actor: decides, body: core.AttemptStopRequested{Attempt: "write.r1.a1"}, says: "is not possible now"},
				"or used something, ended":    {change: func(r *core.Run) { r.Task("write.r1").Last().Status = core.AttemptEnded }, body: core.UsageObserved{Attempt: "write.r1.a1"}, says: "is not possible now"},
				"by the word of a decider":    {actor: decides, says: "is not for decider phases to say"},
				"by nobody in particular":     {actor: core.Actor{Kind: core.ActorAgent}, says: "is not for the agent to say"},
				"and its folders go, running": {body: core.RunSwept{}, says: "the run is not over, or was swept before"},
			},
		},
		"a verification": {
			with(phased, handedIn(core.TaskDelivered)), decides, core.VerifyRequested{Task: "write.r1", Attempt: "write.r1.a1"}, nil, map[string]refusal{
				"of no task":              {body: core.VerifyRequested{Task: "x"}, says: "no task x in the current rounds"},
				"of nothing handed in":    {change: writer(func(t *core.Task) { t.Status = core.TaskWaiting }), says: "has nothing to verify"},
				"of what nobody tried":    {change: writer(func(t *core.Task) { t.Attempts = nil }), says: "has nothing to verify"},
				"of an attempt before":    {body: core.VerifyRequested{Task: "write.r1", Attempt: "write.r1.a0"}, says: "has nothing to verify"},
				"to publish, with memory": {change: writer(func(t *core.Task) { t.Act, t.Status = core.ActPullRequest, core.TaskWaiting }), says: "verified again, without memory"},
				"to publish, once more":   {change: writer(func(t *core.Task) { t.Act = core.ActPullRequest }), body: core.VerifyRequested{Task: "write.r1", Fresh: true}, says: "verified again, without memory"},
			},
		},
		"a verdict": {
			with(phased, handedIn(core.TaskVerifying)), core.Engine(), verdict, nil, map[string]refusal{
				"about an unknown attempt":    {body: core.VerifyConcluded{Task: "write.r1", Attempt: "write.r1.a9"}, says: "is not of a current round"},
				"about another task":          {body: core.VerifyConcluded{Task: "write.r1.x", Attempt: "write.r1.a1"}, says: "is not of a current round"},
				"that nobody asked for":       {change: writer(func(t *core.Task) { t.Status = core.TaskDelivered }), says: "is not being verified"},
				"about an attempt before":     {change: writer(func(t *core.Task) { t.Attempts = append(t.Attempts, &core.Attempt{ID: "write.r1.a2"}) }), says: "is not being verified"},
				"passed with nothing":         {change: writer(func(t *core.Task) { t.Last().Delivery = nil }), says: "handed nothing in that could pass"},
				"passed with changed history": {change: writer(func(t *core.Task) { t.Last().Delivery.Rewritten = true }), says: "handed nothing in that could pass"},
				"passed with code refused":    {change: writer(func(t *core.Task) { t.Last().Delivery.Commit = "" }), says: "handed nothing in that could pass"},
				"passed and failed":           {body: core.VerifyConcluded{Task: "write.r1", Attempt: "write.r1.a1", Passed: true, Error: "disk"}, says: "handed nothing in that could pass"},
			},
		},
	}
}
