package core_test

import (
	"strconv"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// waved is a run in waves before its first: one delegation is admitted.
func waved() *core.Run {
	return &core.Run{
		ID: "r", Alias: "r", Status: core.StatusActive, Branch: "feature/x", Head: "c1", Verified: "c1", Limits: core.DefaultLimits(),
		Playbook: &core.Playbook{
			Kind:    "waves",
			Roles:   map[string]core.Role{"planner": {Name: "planner"}, "dev": {Name: "dev", Capabilities: []string{"shell"}}},
			Project: &core.Management{Roles: map[core.TaskKind]string{core.KindWave: "planner"}, Waves: &core.WaveRules{Waves: 2}},
		},
		Stages: []*core.Stage{
			{ID: core.PlannerStage, Status: core.StageDone, Round: 1},
			{ID: "d1", Status: core.StageOpen, Round: 1, Base: "c1", Tasks: []*core.Task{
				{ID: "d1.r0", Stage: "d1", Kind: core.KindWork, Status: core.TaskVerifying, Attempts: []*core.Attempt{
					{ID: "d1.r0.a1", Status: core.AttemptRunning, Delivery: &core.Delivery{}},
				}},
			}},
		},
		Waves: &core.Waves{Works: []*core.Delegated{{Brief: core.Brief{ID: "d1", Agent: "dev"}, Status: core.DelegationWaiting}}},
	}
}

func openWave(r *core.Run) { r.Waves.N, r.Waves.Open = 1, true }

func first(change func(*core.Delegated)) func(*core.Run) {
	return func(r *core.Run) { change(r.Waves.Works[0]) }
}

// questions are n open ones.
func questions(n int, blocking bool) func(*core.Run) {
	return func(r *core.Run) {
		for i := range n {
			r.Questions = append(r.Questions, core.Question{ID: "q" + strconv.Itoa(i), Blocking: blocking})
		}
	}
}

func waveRulings() map[string]ruling {
	agent := core.Actor{Kind: core.ActorAgent, ID: "d1.r0.a1"}
	brief := core.Brief{ID: "d2", Agent: "dev", Needs: []string{"shell"}, DependsOn: []string{"d1"}}
	admitted := func(change func(*core.Brief)) core.Body {
		b := brief
		change(&b)
		return core.BriefAdmitted{Brief: b}
	}
	begin := core.TaskAdmitted{Task: "d1.r1", Stage: "d1", Round: 1, Attempts: 1, Kind: core.KindWork}
	question := core.QuestionAsked{ID: core.QuestionID("r", "New?"), Text: "New?", Blocking: true}
	return map[string]ruling{
		"a wave opens": {
			waved, decides, core.WaveOpened{Wave: 1}, nil, map[string]refusal{
				"in another":         {change: openWave, body: core.WaveOpened{Wave: 2}, says: "wave 2 cannot be opened now"},
				"out of turn":        {body: core.WaveOpened{Wave: 2}, says: "wave 2 cannot be opened now"},
				"once more":          {change: func(r *core.Run) { r.Waves.N = 1 }, body: core.WaveOpened{Wave: 1}, says: "wave 1 cannot be opened now"},
				"more than there is": {change: func(r *core.Run) { r.Waves.N = 2 }, body: core.WaveOpened{Wave: 3}, says: "one more than the playbook allows"},
				"for nothing":        {change: first(func(d *core.Delegated) { d.Status = core.DelegationDone }), says: "has nothing that could be begun"},
			},
		},
		"the last wave opens again": {
			with(waved, func(r *core.Run) { r.Waves.N = 2 }), decides, core.WaveOpened{Wave: 2}, nil, nil,
		},
		"a wave closes": {
			with(waved, openWave), decides, core.WaveClosed{Wave: 1}, nil, map[string]refusal{
				"without a planner":    {change: func(r *core.Run) { r.Stages = r.Stages[1:] }, says: "wave 1 cannot be closed now"},
				"before the planner":   {change: func(r *core.Run) { r.Stages[0].Status = core.StageOpen }, says: "wave 1 cannot be closed now"},
				"that is another":      {body: core.WaveClosed{Wave: 2}, says: "wave 2 cannot be closed now"},
				"while somebody works": {change: first(func(d *core.Delegated) { d.Status = core.DelegationOpen }), says: "wave 1 cannot be closed now"},
			},
		},
		"a delegation is admitted": {
			waved, decides, core.BriefAdmitted{Brief: brief}, nil, map[string]refusal{
				"in an open wave":       {change: openWave, says: "a wave is open"},
				"twice":                 {body: admitted(func(b *core.Brief) { b.ID = "d1" }), says: "the name is taken"},
				"by a stage's name":     {change: func(r *core.Run) { r.Stages[1].ID = "d2" }, says: "the name is taken"},
				"by an odd name":        {body: admitted(func(b *core.Brief) { b.ID = "D 2" }), says: "cannot be the id of a delegation"},
				"to nobody":             {body: admitted(func(b *core.Brief) { b.Agent = "ghost" }), says: `no role "ghost" does such work`},
				"to the planner":        {body: admitted(func(b *core.Brief) { b.Agent = "planner"; b.Needs = nil }), says: `no role "planner" does such work`},
				"to who cannot":         {body: admitted(func(b *core.Brief) { b.Needs = []string{"deploy"} }), says: `needs the capability "deploy"`},
				"after what is unknown": {body: admitted(func(b *core.Brief) { b.DependsOn = []string{"d9"} }), says: "depends on d9, which was not admitted"},
			},
		},
		"a delegation is not admitted": {
			waved, decides, core.BriefRefused{BriefRefusal: core.BriefRefusal{ID: "d2", Code: "role", Reason: "x"}}, nil, map[string]refusal{
				"in an open wave":  {change: openWave, says: "is refused without a reason"},
				"without a code":   {body: core.BriefRefused{BriefRefusal: core.BriefRefusal{ID: "d2", Reason: "x"}}, says: "is refused without a reason"},
				"without a reason": {body: core.BriefRefused{BriefRefusal: core.BriefRefusal{ID: "d2", Code: "role"}}, says: "is refused without a reason"},
			},
		},
		"a delegation is ended": {
			waved, decides, core.BriefEnded{Delegation: "d1", Status: core.DelegationFailed, Reason: "x"}, nil, map[string]refusal{
				"that is unknown":    {body: core.BriefEnded{Delegation: "d9", Status: core.DelegationFailed, Reason: "x"}, says: "cannot be ended so"},
				"that is done":       {change: first(func(d *core.Delegated) { d.Status = core.DelegationDone }), says: "cannot be ended so"},
				"that failed":        {change: first(func(d *core.Delegated) { d.Status = core.DelegationFailed }), says: "cannot be ended so"},
				"as if it were done": {body: core.BriefEnded{Delegation: "d1", Status: core.DelegationDone, Reason: "x"}, says: "cannot be ended so"},
				"without a reason":   {body: core.BriefEnded{Delegation: "d1", Status: core.DelegationFailed}, says: "cannot be ended so"},
			},
		},
		"a failed delegation is dropped": {
			with(waved, first(func(d *core.Delegated) { d.Status = core.DelegationFailed })), decides, core.BriefEnded{Delegation: "d1", Status: core.DelegationDropped, Reason: "x"}, nil, nil,
		},
		"a decision is refused": {
			waved, decides, core.CourseRefused{Reasons: []string{"x"}}, nil, map[string]refusal{
				"without a reason": {body: core.CourseRefused{}, says: "a decision is refused without a reason"},
			},
		},
		"a delegation is begun": {
			with(waved, openWave), decides, begin, nil, map[string]refusal{
				"before its wave":          {change: func(r *core.Run) { r.Waves.Open = false }, says: "no wave is open"},
				"while the wave is closed": {change: func(r *core.Run) { r.Stages[0].Status = core.StageOpen }, says: "the wave is being closed"},
				"that is worked on":        {change: first(func(d *core.Delegated) { d.Status = core.DelegationOpen }), says: "delegation d1 is open"},
				"before what it needs": {change: func(r *core.Run) {
					r.Waves.Works = append(r.Waves.Works, &core.Delegated{Brief: core.Brief{ID: "d0"}, Status: core.DelegationWaiting})
					r.Waves.Works[0].Brief.DependsOn = []string{"d0"}
				}, says: "delegation d1 is waiting"},
				"without its input":    {change: first(func(d *core.Delegated) { d.Brief.Requires = []string{"plan"} }), says: "delegation d1 lacks plan"},
				"by a planner's round": {body: core.TaskAdmitted{Task: "d1.r1", Stage: "d1", Round: 1, Attempts: 1, Kind: core.KindWave}, says: "a planner's round is a stage of its own"},
			},
		},
		"a worker's answer": {
			with(waved, func(r *core.Run) { r.Task("d1.r0").Last().Status = core.AttemptEnded }), core.Engine(),
			core.VerifyConcluded{Task: "d1.r0", Attempt: "d1.r0.a1", Passed: true, Output: &core.WorkerOutput{}}, nil, map[string]refusal{
				"that nobody hears":         {body: core.VerifyConcluded{Task: "d1.r0", Attempt: "d1.r0.a1", Passed: true}, says: "what it said is not told"},
				"of a planner, not decided": {change: func(r *core.Run) { r.Task("d1.r0").Kind = core.KindWave }, says: "what it said is not told"},
			},
		},
		"a detail is read": {
			waved, agent, core.DetailFetched{Name: "x"}, nil, map[string]refusal{
				"by nobody":     {actor: core.Actor{Kind: core.ActorAgent, ID: "x"}, says: "attempt x is over"},
				"after the end": {change: func(r *core.Run) { r.Task("d1.r0").Last().Status = core.AttemptEnded }, says: "attempt d1.r0.a1 is over"},
				"by a tool it lacks": {change: func(r *core.Run) {
					r.Task("d1.r0").Role = "dev"
					r.Playbook.Roles["dev"] = core.Role{Tools: []string{core.ToolMessage.Command()}}
				}, says: "the role dev does not list the tool"},
				"too often":          {change: func(r *core.Run) { r.Task("d1.r0").Last().Fetched = core.MaxFetched }, says: "500 details were read"},
				"in another's voice": {body: core.DetailFetched{Voice: core.VoiceUser}, says: "does not speak as user"},
			},
		},
		"a question in waves": {
			waved, decides, question, nil, map[string]refusal{
				"of a person":           {actor: core.Person("me"), says: "a question is not for person me to say"},
				"too many block":        {change: questions(core.MaxBlocking, true), says: "too many are open"},
				"too many do not block": {change: questions(core.MaxOptional, false), body: core.QuestionAsked{ID: question.ID, Text: question.Text}, says: "too many are open"},
			},
		},
		"a goal is met": {
			with(waved, func(r *core.Run) {
				r.Stages[1].Status, r.Waves.Works[0].Status = core.StageDone, core.DelegationDone
			}), decides, core.RunCompleted{}, nil, map[string]refusal{
				"with work left": {change: first(func(d *core.Delegated) { d.Status = core.DelegationWaiting }), says: "delegation d1 is waiting"},
			},
		},
	}
}

// epicRow is an event of a project, and what the law says to it; "" where it is
// lawful.
type epicRow struct {
	state func() *core.Project
	actor core.Actor
	body  core.Body
	says  string
}

// judge holds an event to the law of its project, whose own or whose run's it is.
func (r epicRow) judge() error {
	switch r.body.(type) {
	case core.RunStarted, core.RunPaused, core.RunResumed, core.FeedbackGiven, core.RolledBack, core.StageSkipped, core.AttemptsReset, core.QuestionAnswered:
		return core.LawWithin(r.state(), r.body)
	default:
		return core.LawProject(r.state(), r.actor, r.body)
	}
}

func epicRows() map[string]epicRow {
	me := core.Person("me")
	shop := func(changes ...func(*core.Project)) func() *core.Project {
		return func() *core.Project {
			p := &core.Project{ID: "p", Name: "shop", Epics: 1, Queue: []core.QueuedEpic{{Epic: core.Epic{ID: "epic-1", Run: "r1"}}}}
			for _, change := range changes {
				change(p)
			}
			return p
		}
	}
	epic := core.Epic{ID: "epic-2", Run: "r2", Goal: "g", Playbook: "b", Base: "main"}
	queued := func(change func(*core.Epic)) core.Body {
		e := epic
		change(&e)
		return core.EpicQueued{Epic: e}
	}
	stopped := func(p *core.Project) { p.Pause = &core.Standstill{Reason: "no money"} }
	archived := func(p *core.Project) { p.Archived = &core.Standstill{} }
	refused := func(p *core.Project) { p.Queue[0].Refused = &core.Refusal{} }
	full := func(p *core.Project) { p.Queue = make([]core.QueuedEpic, 200) }
	none := func() *core.Project { return nil }
	drives := core.Playbook{Project: &core.Management{}}
	return map[string]epicRow{
		"an agent names it":         {shop(), core.Actor{Kind: core.ActorAgent}, core.ProjectNamed{Name: "x"}, "is not for the agent to say"},
		"registered twice":          {shop(), core.Engine(), core.ProjectRegistered{Name: "shop"}, "is registered already, as shop"},
		"named before it is there":  {none, me, core.ProjectNamed{Name: "x"}, "there is no such project"},
		"an odd name":               {shop(), me, core.ProjectNamed{Name: "a/b"}, "cannot be the name of a project"},
		"registered by an odd name": {none, core.Engine(), core.ProjectRegistered{Name: "-"}, "cannot be the name of a project"},
		"paused twice":              {shop(stopped), me, core.ProjectPaused{}, "project shop is paused already"},
		"paused in the archive":     {shop(archived), me, core.ProjectPaused{}, "project shop is archived already"},
		"erased by an agent":        {shop(), core.Actor{Kind: core.ActorAgent}, core.ProjectErased{}, "is not for the agent to say"},
		"erased before it is there": {none, me, core.ProjectErased{}, "there is no such project"},
		"archived twice":            {shop(archived), me, core.ProjectArchived{}, "project shop is archived already"},
		"resumed without a pause":   {shop(), me, core.ProjectResumed{}, "is neither paused nor archived"},
		"queued in the archive":     {shop(archived), me, core.EpicQueued{Epic: epic}, "project shop is archived"},
		"queued out of turn":        {shop(), me, queued(func(e *core.Epic) { e.ID = "epic-3" }), "is not the next of project shop"},
		"queued without a run":      {shop(), me, queued(func(e *core.Epic) { e.Run = "" }), "does not say what is to be started"},
		"queued without a goal":     {shop(), me, queued(func(e *core.Epic) { e.Goal = "" }), "does not say what is to be started"},
		"queued without a playbook": {shop(), me, queued(func(e *core.Epic) { e.Playbook = "" }), "does not say what is to be started"},
		"queued without a base":     {shop(), me, queued(func(e *core.Epic) { e.Base = "" }), "does not say what is to be started"},
		"queued without end":        {shop(full), me, core.EpicQueued{Epic: epic}, "and it holds no more"},
		"taken by another run":      {shop(), core.Engine(), core.EpicTaken{Epic: "epic-1", Run: "r9"}, "becomes run r1, not r9"},
		"taken unknown":             {shop(), core.Engine(), core.EpicTaken{Epic: "epic-9", Run: "r1"}, `has no epic "epic-9"`},
		"taken when refused":        {shop(refused), core.Engine(), core.EpicTaken{Epic: "epic-1", Run: "r1"}, "epic epic-1 was refused"},
		"refused twice":             {shop(refused), core.Engine(), core.EpicRefused{Epic: "epic-1"}, "epic epic-1 was refused"},
		"postponed unknown":         {shop(), core.Engine(), core.EpicPostponed{Epic: "epic-9"}, `has no epic "epic-9"`},
		"postponed when refused":    {shop(refused), core.Engine(), core.EpicPostponed{Epic: "epic-1"}, "epic epic-1 was refused"},
		"postponed by a person":     {shop(), me, core.EpicPostponed{Epic: "epic-1"}, "is not for person me to say"},
		"postponed":                 {shop(), core.Engine(), core.EpicPostponed{Epic: "epic-1"}, ""},
		"a dropped epic's run":      {shop(), me, core.RunStarted{Run: "r0", Epic: "epic-0"}, "epic-0 no longer waits in the queue of project shop"},
		"a run before its turn":     {shop(), me, core.RunStarted{Run: "r2", Playbook: drives}, "1 epics wait for their turn in project shop"},
		"a run in its turn":         {shop(), me, core.RunStarted{Run: "r1", Playbook: drives}, ""},
		"a run past refused epics":  {shop(refused), me, core.RunStarted{Run: "r2", Playbook: drives}, ""},
		"a run that drives nothing": {shop(), me, core.RunStarted{Run: "r2"}, ""},
		"a run in a pause":          {shop(stopped), me, core.RunStarted{Run: "r2"}, "project shop is paused: no money"},
		"a run in the archive":      {shop(archived), me, core.RunStarted{Run: "r1", Playbook: drives}, "project shop is archived"},
		"a pause with no project's": {shop(), core.Engine(), core.RunPaused{Code: core.PauseProject}, "project shop does not stand still"},
		"a pause with its project":  {shop(stopped), core.Engine(), core.RunPaused{Code: core.PauseProject}, ""},
		"a pause of its own":        {shop(), me, core.RunPaused{Code: core.PausePerson}, ""},
		"resuming in a pause":       {shop(stopped), me, core.RunResumed{}, "project shop is paused: no money"},
		"feedback in a pause":       {shop(stopped), me, core.FeedbackGiven{}, "project shop is paused: no money"},
		"a rollback in a pause":     {shop(stopped), me, core.RolledBack{}, "project shop is paused: no money"},
		"skipping in a pause":       {shop(stopped), me, core.StageSkipped{}, "project shop is paused: no money"},
		"new attempts in a pause":   {shop(stopped), me, core.AttemptsReset{}, "project shop is paused: no money"},
		"an answer in a pause":      {shop(stopped), me, core.QuestionAnswered{}, ""},
		"resuming":                  {shop(), me, core.RunResumed{}, ""},
		"requeued unknown":          {shop(), me, core.EpicRequeued{Epic: "epic-9"}, `has no epic "epic-9"`},
		"requeued in its turn":      {shop(), me, core.EpicRequeued{Epic: "epic-1"}, "waits for its turn already, at place 1"},
		"paused":                    {shop(), me, core.ProjectPaused{}, ""},
		"archived in a pause":       {shop(stopped), me, core.ProjectArchived{}, ""},
		"resumed from a pause":      {shop(stopped), me, core.ProjectResumed{}, ""},
		"resumed from the archive":  {shop(archived), me, core.ProjectResumed{}, ""},
		"queued in a pause":         {shop(stopped), me, core.EpicQueued{Epic: epic}, ""},
		"the last that is queued":   {shop(func(p *core.Project) { p.Queue = make([]core.QueuedEpic, 199) }), me, core.EpicQueued{Epic: epic}, ""},
		"taken":                     {shop(), core.Engine(), core.EpicTaken{Epic: "epic-1", Run: "r1"}, ""},
		"requeued":                  {shop(refused), me, core.EpicRequeued{Epic: "epic-1"}, ""},
		"dropped when refused":      {shop(refused), me, core.EpicDropped{Epic: "epic-1"}, ""},
		"dropped unknown":           {shop(), me, core.EpicDropped{Epic: "epic-9"}, `has no epic "epic-9"`},
	}
}

// TestEachClauseOfAProject proposes one forbidden event for each clause about projects.
func TestEachClauseOfAProject(t *testing.T) {
	for what, row := range epicRows() {
		wants(t, what, row.judge(), row.says)
	}
}
