package manager_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/manager"
)

// between is a run between two turns, with nothing to do.
func between(changes ...func(r *core.Run)) *core.Run {
	r := proposed(core.Proposal{}, func(r *core.Run) { r.Managing.Delegations = nil })
	for _, change := range changes {
		change(r)
	}
	return r
}

// outline is a decision in short: its type, and what it is about.
func outline(bodies []core.Body) []string {
	var all []string
	for _, b := range bodies {
		line := string(core.TypeOf(b))
		switch b := b.(type) {
		case core.TaskAdmitted:
			line += " " + b.Task
		case core.StageOpened:
			line += " " + b.Stage + " " + string(b.Reason)
		case core.RunPaused:
			line += " " + string(b.Code) + ": " + b.Reason
		case core.TaskFailed:
			line += " " + b.Task + ": " + b.Reason
		case core.StagePassed:
			line += " " + b.Stage
		default:
		}
		all = append(all, line)
	}
	return all
}

func decides(t *testing.T, r *core.Run, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, outline((manager.Decider{}).Decide(r))); diff != "" {
		t.Error(diff)
	}
}

func turning(r *core.Run) {
	r.Stages = append(r.Stages, &core.Stage{ID: core.ManagerStage, Status: core.StageOpen, Round: 1, Tasks: []*core.Task{{ID: "manager.r1", Kind: core.KindManage, Status: core.TaskRunning}}})
}

func moving(r *core.Run) { r.Driving.PlanWrite = &core.PlanWrite{} }
func told(r *core.Run)   { r.Managing.Wakes = []core.Wake{{Kind: core.WakeChanges}} }
func asking(r *core.Run) { r.Questions = []core.Question{{ID: "q1", Text: "Which?"}} }

// TestWhatFollowsOnALine: work is brought to its end, and what it comes to is told. A
// line without a name is merged; what a line with one does next is the manager's word.
func TestWhatFollowsOnALine(t *testing.T) {
	t.Parallel()
	task := func(kind core.TaskKind, status core.TaskStatus) *core.Task {
		t := &core.Task{ID: "t", Kind: kind, Status: status, Limit: 2, Attempts: []*core.Attempt{{ID: "t.a1", Status: core.AttemptEnded}}}
		if kind == core.KindMerge {
			t.Act, t.Limit, t.Attempts = core.ActMerge, 0, nil
		}
		return t
	}
	with := func(t *core.Task, change func(t *core.Task)) *core.Task { change(t); return t }
	resolved, refused := task(core.KindResolve, core.TaskDone), task(core.KindMerge, core.TaskDropped)
	often := []*core.Task{resolved, resolved, refused}
	could := "TaskFailed t: feature/x-api-1 could not be merged after 2 attempts to fix it: "
	as := func(*core.Stage) {}
	for name, c := range map[string]struct {
		stage string
		open  bool // a delegation is about it
		tasks []*core.Task
		line  func(s *core.Stage)
		want  []string
	}{
		"nothing on it":               {"api", true, nil, as, nil},
		"at work":                     {"api", true, []*core.Task{task(core.KindWork, core.TaskRunning)}, as, nil},
		"delivered":                   {"api", true, []*core.Task{task(core.KindWork, core.TaskDelivered)}, as, []string{"VerifyRequested"}},
		"again":                       {"api", true, []*core.Task{task(core.KindWork, core.TaskWaiting)}, as, []string{"AttemptRequested"}},
		"used up":                     {"api", true, []*core.Task{with(task(core.KindWork, core.TaskWaiting), func(t *core.Task) { t.Counted = 2 })}, as, []string{"TaskFailed t: 2 attempts, and its checks still do not hold"}},
		"an input is gone":            {"api", true, []*core.Task{with(task(core.KindWork, core.TaskWaiting), func(t *core.Task) { t.Inputs = []core.Input{{Name: "a.md"}} })}, as, []string{"TaskFailed t: a.md no longer exists: the work that handed it in was discarded"}},
		"what it need not have":       {"api", true, []*core.Task{with(task(core.KindWork, core.TaskWaiting), func(t *core.Task) { t.Inputs = []core.Input{{Name: "a.md", Optional: true}} })}, as, []string{"AttemptRequested"}},
		"done, on a named line":       {"api", true, []*core.Task{task(core.KindWork, core.TaskDone)}, as, nil},
		"done, on its own":            {"t3", true, []*core.Task{task(core.KindWork, core.TaskDone)}, as, []string{"TaskAdmitted t3.r1.merge"}},
		"done, and nobody waits":      {"t3", false, []*core.Task{task(core.KindWork, core.TaskDone)}, as, nil},
		"done without a change":       {"t3", true, []*core.Task{task(core.KindWork, core.TaskDone)}, func(s *core.Stage) { s.Line = s.Base }, []string{"StagePassed t3"}},
		"no change on a named line":   {"api", true, []*core.Task{task(core.KindWork, core.TaskDone)}, func(s *core.Stage) { s.Line = s.Base }, nil},
		"reviewed, on its own":        {"t3", true, []*core.Task{task(core.KindReview, core.TaskDone)}, as, nil},
		"merged":                      {"api", true, []*core.Task{task(core.KindMerge, core.TaskDone)}, as, []string{"StagePassed api"}},
		"a merge is refused":          {"api", true, []*core.Task{refused}, as, []string{"TaskAdmitted api.r1.resolve"}},
		"refused, and nobody waits":   {"api", false, []*core.Task{refused}, as, nil},
		"put right":                   {"api", true, []*core.Task{refused, resolved}, as, []string{"TaskAdmitted api.r1.merge2"}},
		"work was given up":           {"api", true, []*core.Task{task(core.KindWork, core.TaskDropped)}, as, nil},
		"refused too often":           {"api", true, often, func(s *core.Stage) { s.Conflict = nil }, []string{could + "it was refused"}},
		"refused too often, files":    {"api", true, often, func(s *core.Stage) { s.Conflict = &core.Unmerged{Files: []string{"a.go"}} }, []string{could + "both sides changed [a.go]"}},
		"refused too often, by check": {"api", true, often, func(s *core.Stage) { s.Conflict = &core.Unmerged{} }, []string{could + "the merged tree does not pass the checks"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := between(api(func(s *core.Stage) {
				s.ID, s.Tasks, s.Conflict = c.stage, c.tasks, &core.Unmerged{Into: "c5"}
				c.line(s)
			}))
			if c.open {
				r.Managing.Delegations = []*core.Delegation{{ID: "t6", Status: core.DelegationOpen, Stage: c.stage}}
			}
			decides(t, r, c.want)
		})
	}
}

// TestWhatIsPublishedBetweenTurns: a person is asked about what nobody is about to
// change, and what was approved is published.
func TestWhatIsPublishedBetweenTurns(t *testing.T) {
	t.Parallel()
	publish := func(status core.StageStatus, change func(s *core.Stage)) func(r *core.Run) {
		return func(r *core.Run) {
			s := &core.Stage{ID: core.PublishStage, Status: status, Round: 1, Tasks: []*core.Task{{ID: "publish.r1", Act: core.ActPullRequest, Status: core.TaskWaiting}}}
			change(s)
			r.Stages = append(r.Stages, s)
			r.Managing.Delegations = append(r.Managing.Delegations, &core.Delegation{ID: "t7", Status: core.DelegationOpen, Stage: core.PublishStage})
		}
	}
	open := publish(core.StageOpen, func(*core.Stage) {})
	other := func(status core.DelegationStatus) func(r *core.Run) {
		return func(r *core.Run) {
			r.Managing.Delegations = append(r.Managing.Delegations, &core.Delegation{ID: "t6", Status: status, Stage: "api", Proposal: core.Proposal{After: []string{"t7"}}})
		}
	}
	for name, c := range map[string]struct {
		run  *core.Run
		want []string
	}{
		"settled":            {between(open), []string{"VerifyRequested"}},
		"in a turn":          {between(open, turning), nil},
		"while it moves":     {between(open, moving), nil},
		"something is told":  {between(open, told), []string{"StageOpened manager woken", "TaskAdmitted manager.r1"}},
		"something is asked": {between(open, asking), []string{"RunPaused question: the manager asks: Which?"}},
		"others work":        {between(open, other(core.DelegationOpen)), nil},
		"others have ended":  {between(open, other(core.DelegationDone)), []string{"VerifyRequested"}},
		"it met trouble":     {between(publish(core.StageOpen, func(s *core.Stage) { s.Trouble = "declined" })), []string{"RunPaused publish: declined"}},
		"approved": {between(publish(core.StageGated, func(s *core.Stage) { s.Gate = &core.Gate{Approved: true}; s.Tasks[0].Status = core.TaskDelivered })),
			[]string{"PublishRequested"}},
	} {
		t.Run(name, func(t *testing.T) { decides(t, c.run, c.want) })
	}
}

// TestWhatTheEngineDoesItself: a validation on the run's branch is begun once nothing moves
// that, and closed when it ended. What is not the manager's is left alone.
func TestWhatTheEngineDoesItself(t *testing.T) {
	t.Parallel()
	check := func(id string, stage core.StageStatus, task core.TaskStatus) func(r *core.Run) {
		return func(r *core.Run) {
			r.Stages = append(r.Stages, &core.Stage{ID: id, Status: stage, Round: 1, Tasks: []*core.Task{{ID: id + ".r1", Kind: core.KindValidate, Act: core.ActValidate, Status: task}}})
		}
	}
	for name, c := range map[string]struct {
		run  *core.Run
		want []string
	}{
		"to be begun":           {between(check("t3", core.StageOpen, core.TaskWaiting)), []string{"VerifyRequested"}},
		"while it moves":        {between(check("t3", core.StageOpen, core.TaskWaiting), moving), nil},
		"under way":             {between(check("t3", core.StageOpen, core.TaskVerifying)), nil},
		"the next":              {between(check("t3", core.StageOpen, core.TaskVerifying), check("t4", core.StageOpen, core.TaskWaiting)), []string{"VerifyRequested"}},
		"ended":                 {between(check("t3", core.StageOpen, core.TaskDone)), []string{"StagePassed t3"}},
		"ended, while it moves": {between(check("t3", core.StageOpen, core.TaskDone), moving), []string{"StagePassed t3"}},
		"closed":                {between(check("t3", core.StageDone, core.TaskDone)), nil},
		"not the manager's":     {between(check("t9", core.StageOpen, core.TaskWaiting)), nil},
	} {
		t.Run(name, func(t *testing.T) { decides(t, c.run, c.want) })
	}
}

// TestWhatFollowsBetweenTurns: everything waits for the end of a turn, and the run
// ends or rests only when the manager has seen all there is.
func TestWhatFollowsBetweenTurns(t *testing.T) {
	t.Parallel()
	pr := func(state core.PullRequestState) func(r *core.Run) {
		return func(r *core.Run) { r.PullRequest = &core.PullRequest{Commit: "c5", State: state} }
	}
	barren := func(n int) func(r *core.Run) { return func(r *core.Run) { r.Managing.Barren = n } }
	draft := func(r *core.Run) { r.Managing.PlanProposed = &core.PlanWrite{Message: "more"} }
	failed := func(message string) func(r *core.Run) {
		return func(r *core.Run) {
			turning(r)
			task := r.Manager().Tasks[0]
			task.Status, task.Limit, task.Counted, task.Attempts = core.TaskWaiting, 2, 2, []*core.Attempt{{ID: "a1", Status: core.AttemptEnded, Message: message}}
		}
	}
	again := func(r *core.Run) {
		failed("")(r)
		r.Manager().Tasks[0].Counted = 1
	}
	over := func(r *core.Run) {
		turning(r)
		r.Manager().Tasks[0].Status = core.TaskDone
	}
	turn := []string{"StageOpened manager woken", "TaskAdmitted manager.r1"}
	for name, c := range map[string]struct {
		run  *core.Run
		want []string
	}{
		"the plan is looked for":    {between(told, func(r *core.Run) { r.Driving.Plan = nil }), nil},
		"woken":                     {between(told), turn},
		"woken in a turn":           {between(told, turning), nil},
		"the turn is over":          {between(over), []string{"StagePassed manager"}},
		"merged":                    {between(pr(core.PullRequestMerged)), []string{"RunCompleted"}},
		"merged, in a turn":         {between(pr(core.PullRequestMerged), turning), nil},
		"merged, while it moves":    {between(pr(core.PullRequestMerged), moving), nil},
		"merged, and told":          {between(pr(core.PullRequestMerged), told), turn},
		"to be reviewed":            {between(pr(core.PullRequestOpen)), []string{"ReviewAwaited"}},
		"to be reviewed, in a turn": {between(pr(core.PullRequestOpen), turning), nil},
		"to be reviewed, it moves":  {between(pr(core.PullRequestOpen), moving), nil},
		"asked":                     {between(asking), []string{"RunPaused question: the manager asks: Which?"}},
		"asked in a turn":           {between(asking, turning), nil},
		"barren":                    {between(barren(3), told), []string{"RunPaused barren: the manager was woken 3 times in a row and changed nothing"}},
		"barren in a turn":          {between(barren(3), turning), nil},
		"not yet barren":            {between(barren(2), told), turn},
		"a draft":                   {between(draft), []string{"PlanWriteRequested"}},
		"a draft, while it moves":   {between(draft, moving), nil},
		"the manager failed":        {between(failed("")), []string{"RunPaused attempts: the manager failed 2 times"}},
		"the manager failed, why":   {between(failed("no such model")), []string{"RunPaused attempts: the manager failed 2 times: no such model"}},
		"the manager tries again":   {between(again), []string{"AttemptRequested"}},
		"not before its plan":       {between(again, moving), nil},
	} {
		t.Run(name, func(t *testing.T) { decides(t, c.run, c.want) })
	}
}
