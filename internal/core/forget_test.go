package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// lasting is a run of a manager that goes on for long.
func lasting() *Run {
	return &Run{Managing: Managing{Delegated: 200}, Playbook: &Playbook{Project: &Management{Roles: map[TaskKind]string{KindManage: "boss"}}}}
}

// TestDelegationsThatAreOverForLongAreLetGo: the oldest first, as many as there are
// too many, and none that goes on. Of those kept that are over, the beginning of what they were to do.
func TestDelegationsThatAreOverForLongAreLetGo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		over, kept int
	}{"as many as are kept": {keptDelegations, keptDelegations}, "one more": {keptDelegations + 1, keptDelegations}, "many more": {3 * keptDelegations, keptDelegations}, "few": {2, 2}} {
		r, long := lasting(), strings.Repeat("x", keptPrompt+1)
		r.Managing.Delegations = []*Delegation{{ID: "open", Status: DelegationOpen, Proposal: Proposal{Prompt: long, Checks: []string{"make"}}}, {ID: "waiting", Status: DelegationWaiting}}
		for i := range c.over {
			r.Managing.Delegations = append(r.Managing.Delegations, &Delegation{ID: fmt.Sprint(i), Status: []DelegationStatus{DelegationDone, DelegationFailed, DelegationRefused}[i%3], Proposal: Proposal{Prompt: long, Checks: []string{"make"}}})
		}
		want := []string{"open", "waiting"}
		for i := c.over - c.kept; i < c.over; i++ {
			want = append(want, fmt.Sprint(i))
		}
		forget(r)
		var got []string
		for _, d := range r.Managing.Delegations {
			got = append(got, d.ID)
			if whole := d.Proposal.Prompt == long && d.Proposal.Checks != nil; whole != (d.ID == "open") || len(d.Proposal.Prompt) > keptPrompt+len(" …") {
				t.Errorf("%s: of %s is kept %+v", name, d.ID, d.Proposal)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// TestWhatIsKeptOfALineThatIsWorkedOnForLong: its newest tasks, and of the older ones
// all that is not over, that is counted, or whose document nobody has handed in since.
func TestWhatIsKeptOfALineThatIsWorkedOnForLong(t *testing.T) {
	t.Parallel()
	handsIn := func(status TaskStatus, name string) *Task {
		return &Task{Status: status, Outputs: []string{name}, Attempts: []*Attempt{{Status: AttemptEnded, Verdict: VerdictPassed, Delivery: &Delivery{Artifacts: []Artifact{{Name: name}}}}}}
	}
	empty := handsIn(TaskDone, "a.md")
	empty.Attempts[0].Delivery.Artifacts = nil
	unasked := handsIn(TaskDone, "a.md")
	unasked.Outputs = nil
	for name, c := range map[string]struct {
		old   *Task
		later *Task // among the newest
		kept  bool
	}{
		"done":                          {old: &Task{Status: TaskDone}},
		"dropped":                       {old: &Task{Status: TaskDropped}},
		"dropped, its agent ended":      {old: &Task{Status: TaskDropped, Attempts: []*Attempt{{Status: AttemptEnded}}}},
		"dropped, its agent still runs": {old: &Task{Status: TaskDropped, Attempts: []*Attempt{{Status: AttemptRunning}}}, kept: true},
		"at work":                       {old: &Task{Status: TaskRunning, Attempts: []*Attempt{{Status: AttemptRunning}}}, kept: true},
		"waiting":                       {old: &Task{Status: TaskWaiting}, kept: true},
		"being verified":                {old: &Task{Status: TaskVerifying, Attempts: []*Attempt{{Status: AttemptEnded}}}, kept: true},
		"a merge":                       {old: &Task{Status: TaskDone, Act: ActMerge, Kind: KindMerge}, kept: true},
		"a merge that was put right":    {old: &Task{Status: TaskDone, Kind: KindResolve}, kept: true},
		"its document":                  {old: handsIn(TaskDone, "a.md"), kept: true},
		"its document, dropped":         {old: handsIn(TaskDropped, "a.md")},
		"its document, handed in anew":  {old: handsIn(TaskDone, "a.md"), later: handsIn(TaskDone, "a.md")},
		"another document since":        {old: handsIn(TaskDone, "a.md"), later: handsIn(TaskDone, "b.md"), kept: true},
		"not yet handed in anew":        {old: handsIn(TaskDone, "a.md"), later: handsIn(TaskRunning, "a.md"), kept: true},
		"handed in unasked":             {old: handsIn(TaskDone, "a.md"), later: unasked, kept: true},
		"asked for and not handed in":   {old: handsIn(TaskDone, "a.md"), later: empty, kept: true},
	} {
		tasks := []*Task{c.old}
		for range keptTasks {
			tasks = append(tasks, &Task{Status: TaskDone})
		}
		if c.later != nil {
			tasks[keptTasks/2] = c.later
		}
		for stage, want := range map[*Stage]bool{{ID: "api", Branch: "x-api-1", Status: StageOpen, Tasks: tasks}: c.kept, {ID: PublishStage, Status: StageOpen, Tasks: tasks}: true} {
			r := lasting()
			stage.Tasks = slices.Clone(tasks)
			r.Stages = []*Stage{stage}
			forget(r)
			if got := stage.Tasks[0] == c.old; got != want || !slices.Equal(stage.Tasks[len(stage.Tasks)-keptTasks:], tasks[1:]) {
				t.Errorf("%s, of %s: it is kept: %v, with %d tasks", name, stage.ID, got, len(stage.Tasks))
			}
		}
	}
	ruled := &Stage{ID: "step-1", Branch: "x-step-1-1", Status: StageOpen, Tasks: slices.Repeat([]*Task{{Status: TaskDone}}, keptTasks+1)}
	if forget(&Run{Stages: []*Stage{ruled}}); len(ruled.Tasks) != keptTasks+1 {
		t.Errorf("of a line without a manager, %d tasks are kept", len(ruled.Tasks))
	}
	short := &Stage{ID: "api", Branch: "x-api-1", Status: StageOpen, Tasks: slices.Repeat([]*Task{{Status: TaskDone}}, keptTasks)}
	r := lasting()
	r.Stages = []*Stage{short}
	if forget(r); len(short.Tasks) != keptTasks {
		t.Errorf("of %d tasks, %d are kept", keptTasks, len(short.Tasks))
	}
}

// TestWhichLinesAreLetGo: those that are over and that nothing speaks of any more. How
// often a line with a name was begun is remembered: its name can be used again.
func TestWhichLinesAreLetGo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stage  Stage
		change func(r *Run)
		gone   bool
		rounds Rounds
	}{
		"merged":                   {stage: Stage{ID: "api", Status: StageDone, Branch: "x-api-3"}, gone: true, rounds: Rounds{"api": 3}},
		"given up":                 {stage: Stage{ID: "api", Status: StageOmitted, Branch: "x-api-3"}, gone: true, rounds: Rounds{"api": 3}},
		"without a name":           {stage: Stage{ID: "t4", Status: StageDone, Branch: "x-t4-1"}, gone: true},
		"a validation":             {stage: Stage{ID: "t4", Status: StageDone}, gone: true},
		"open":                     {stage: Stage{ID: "api", Status: StageOpen, Branch: "x-api-3"}},
		"its ref is there":         {stage: Stage{ID: "api", Status: StageDone, Branch: "x-api-3", LineAt: "c2"}},
		"a step of a plan":         {stage: Stage{ID: stepPrefix + "1", Status: StageDone, Branch: "x-step-1-3"}},
		"what somebody wants":      {stage: Stage{ID: "change-1", Status: StageDone, Branch: "x-change-1-3", Wish: &Changes{}}},
		"of the run itself":        {stage: Stage{ID: PublishStage, Status: StageDone}},
		"a delegation is about it": {stage: Stage{ID: "api", Status: StageDone, Branch: "x-api-3"}, change: func(r *Run) { r.Managing.Delegations = []*Delegation{{ID: "t9", Stage: "api", Status: DelegationDone}} }},
		"its delegation is kept":   {stage: Stage{ID: "t4", Status: StageDone, Branch: "x-t4-1"}, change: func(r *Run) { r.Managing.Delegations = []*Delegation{{ID: "t4", Status: DelegationFailed}} }},
		"another is about another": {stage: Stage{ID: "api", Status: StageDone, Branch: "x-api-3"}, change: func(r *Run) { r.Managing.Delegations = []*Delegation{{ID: "t9", Stage: "web", Status: DelegationOpen}} }, gone: true, rounds: Rounds{"api": 3}},
		"checks still run":         {stage: Stage{ID: "api", Status: StageOmitted, Branch: "x-api-3", Tasks: []*Task{{Status: TaskVerifying}}}},
		"an agent still runs":      {stage: Stage{ID: "api", Status: StageOmitted, Branch: "x-api-3", Tasks: []*Task{{Status: TaskDropped, Attempts: []*Attempt{{Status: AttemptRunning}}}}}},
		"all on it has ended":      {stage: Stage{ID: "api", Status: StageOmitted, Branch: "x-api-3", Tasks: []*Task{{Status: TaskDone}, {Status: TaskDropped, Attempts: []*Attempt{{Status: AttemptEnded}}}}}, gone: true, rounds: Rounds{"api": 3}},
		"after others":             {stage: Stage{ID: "api", Status: StageDone, Branch: "x-api-3"}, change: func(r *Run) { r.Managing.Rounds = Rounds{"ui": 2} }, gone: true, rounds: Rounds{"api": 3, "ui": 2}},
		"nobody manages":           {stage: Stage{ID: "api", Status: StageDone, Branch: "x-api-3"}, change: func(r *Run) { r.Playbook.Project.Roles = nil }},
	} {
		r := lasting()
		c.stage.Round = 3
		r.Stages = []*Stage{&c.stage, {ID: "web", Status: StageOpen, Branch: "x-web-1"}}
		if c.change != nil {
			c.change(r)
		}
		forget(r)
		if gone := r.Stage(c.stage.ID) == nil; gone != c.gone || r.Stage("web") == nil || !cmp.Equal(c.rounds, r.Managing.Rounds) {
			t.Errorf("%s: it is let go: %v, rounds %v", name, gone, r.Managing.Rounds)
		}
	}
}

// TestWhatWasShownLapses: once the work is about to be another, a person is asked
// again; only what is published at this moment is let go.
func TestWhatWasShownLapses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stage  StageStatus
		task   TaskStatus
		paused RunStatus
		lapses bool
		from   RunStatus
	}{
		"prepared":                     {StageOpen, TaskDelivered, StatusActive, true, StatusActive},
		"a person is asked":            {StageGated, TaskDelivered, StatusAwaiting, true, StatusActive},
		"the run was in review":        {StageOpen, TaskDelivered, StatusReview, true, StatusReview},
		"being prepared":               {StageOpen, TaskVerifying, StatusActive, true, StatusActive},
		"being published":              {StageGated, TaskRunning, StatusAwaiting, false, StatusAwaiting},
		"published":                    {StageGated, TaskDone, StatusAwaiting, false, StatusAwaiting},
		"of a round that is over":      {StageDone, TaskDelivered, StatusAwaiting, false, StatusAwaiting},
		"of a round that was left out": {StageOmitted, TaskDropped, StatusAwaiting, false, StatusAwaiting},
	} {
		task := &Task{Act: ActPullRequest, Status: c.task, Prepared: &PublishPrepared{}}
		s := &Stage{ID: PublishStage, Status: c.stage, Gate: &Gate{Approved: true}, Tasks: []*Task{task}}
		r := &Run{Stages: []*Stage{s}, Pause: &Pause{From: c.paused}}
		lapsePublish(r)
		if lapsed := s.Gate == nil && s.Status == StageOpen && task.Status == TaskWaiting && task.Prepared == nil; lapsed != c.lapses || r.Pause.From != c.from {
			t.Errorf("%s: it lapses: %v, and the run goes on as %s", name, lapsed, r.Pause.From)
		}
	}
	lapsePublish(&Run{}) // nothing was ever prepared
}

// TestWhatMakesThePublicationLapse: everything after which another commit would be
// published, and whatever has the run go on.
func TestWhatMakesThePublicationLapse(t *testing.T) {
	t.Parallel()
	for name, happens := range map[string]func(r *Run, s *Stage){
		"the plan is changed":   func(r *Run, _ *Stage) { planUpdated(r, PlanUpdated{}) },
		"a line is merged":      func(r *Run, _ *Stage) { mergeConcluded(r, Event{}, MergeConcluded{Task: "m", Passed: true}) },
		"changes are wanted":    func(r *Run, _ *Stage) { changesRequested(r, Event{}, ChangesRequested{ID: "w1"}) },
		"a stage is left out":   func(r *Run, s *Stage) { skip(r, Event{}, StageSkipped{Stage: s.ID}) },
		"a stage is tried anew": resetAttempts,
	} {
		line := &Stage{ID: "api", Status: StageOpen, Branch: "x-api-1", Tasks: []*Task{{ID: "m", Stage: "api", Act: ActMerge, Status: TaskVerifying}}}
		s := &Stage{ID: PublishStage, Status: StageGated, Gate: &Gate{Approved: true}, Tasks: []*Task{{Act: ActPullRequest, Status: TaskDelivered, Prepared: &PublishPrepared{}}}}
		r := &Run{Playbook: &Playbook{Project: &Management{}}, Stages: []*Stage{line, s}}
		happens(r, line)
		if s.Gate != nil || s.Status != StageOpen || s.Tasks[0].Prepared != nil {
			t.Errorf("%s: a person's word of before still holds: %+v", name, s)
		}
	}
}

// TestDocumentsOfALineAreFiled: the newest of each name, of what is done.
func TestDocumentsOfALineAreFiled(t *testing.T) {
	t.Parallel()
	handsIn := func(status TaskStatus, digest string, outputs ...string) *Task {
		return &Task{Status: status, Outputs: outputs, Attempts: []*Attempt{{Status: AttemptEnded, Verdict: VerdictPassed, Delivery: &Delivery{Artifacts: []Artifact{{Name: "a.md", Digest: digest}, {Name: "b.md", Digest: digest}}}}}}
	}
	r := &Run{Managing: Managing{Documents: []Artifact{{Name: "a.md", Digest: "old"}, {Name: "z.md", Digest: "old"}}}}
	file(r, &Stage{Tasks: []*Task{handsIn(TaskDone, "1", "a.md", "none.md"), handsIn(TaskDone, "2", "a.md"), handsIn(TaskDropped, "3", "a.md", "b.md")}})
	if diff := cmp.Diff([]Artifact{{Name: "z.md", Digest: "old"}, {Name: "a.md", Digest: "2"}}, r.Managing.Documents); diff != "" {
		t.Error(diff)
	}
}
