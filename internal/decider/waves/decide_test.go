package waves_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/waves"
)

// wave is a run in the middle of its first wave.
func wave(writes core.Writes, works ...*core.Delegated) *core.Run {
	return &core.Run{
		ID: "r", Alias: "r", Status: core.StatusActive, Head: "c5", Verified: "c5", BaseCommit: "c0", Branch: "feature/x", Limits: core.DefaultLimits(),
		Playbook: &core.Playbook{Kind: "waves", Roles: map[string]core.Role{"planner": {}, "dev": {}}, Project: &core.Management{
			Roles: map[core.TaskKind]string{core.KindWave: "planner"}, Attempts: 2, Rounds: 1,
			Done: core.Check{Kind: core.CheckCommand, Run: "make"}, Waves: &core.WaveRules{Waves: 5, Delegations: 5, Writes: writes},
		}},
		Waves: &core.Waves{N: 1, Open: true, Works: works},
	}
}

func delegated(id string, status core.DelegationStatus, after ...string) *core.Delegated {
	return &core.Delegated{Brief: core.Brief{ID: id, Agent: "dev", Task: "do " + id, DependsOn: after}, Wave: 1, Status: status}
}

// line is the stage of a delegation that wrote code, with what was done on it last.
func line(id string, tasks ...*core.Task) *core.Stage {
	return &core.Stage{ID: id, Status: core.StageOpen, Round: 1, Base: "c1", Line: "c2-" + id, Branch: "feature/x-" + id + "-1", Tasks: tasks, Conflict: &core.Unmerged{Into: "c5"}}
}

func task(kind core.TaskKind, status core.TaskStatus) *core.Task {
	t := &core.Task{ID: "t-" + string(kind), Kind: kind, Status: status, Limit: 2, Attempts: []*core.Attempt{{ID: "t.a1", Status: core.AttemptEnded}}}
	if kind == core.KindMerge {
		t.Act, t.Limit, t.Attempts = core.ActMerge, 0, nil
	}
	return t
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
			line += " " + b.Stage
		case core.RunPaused:
			line += " " + string(b.Code) + ": " + b.Reason
		case core.StageDiscarded:
			line += " " + b.Stage + ": " + b.Reason
		case core.StagePassed:
			line += " " + b.Stage
		case core.WaveOpened:
			line += fmt.Sprintf(" %d", b.Wave)
		case core.BriefEnded:
			line += " " + b.Delegation + " " + string(b.Status) + ": " + b.Reason
		case core.QuestionAsked:
			line += fmt.Sprintf(" %s %s %v", b.From, b.Text, b.Blocking)
		default:
		}
		all = append(all, line)
	}
	return all
}

// TestWhatIsTakenIn: one line after the other, what others wait for at once and the
// rest when nothing is worked on; a merge that is refused is put right as often as
// the playbook allows.
func TestWhatIsTakenIn(t *testing.T) {
	t.Parallel()
	worked, merging := task(core.KindWork, core.TaskDone), task(core.KindMerge, core.TaskVerifying)
	refused, done := task(core.KindMerge, core.TaskDropped), task(core.KindMerge, core.TaskDone)
	resolved := task(core.KindResolve, core.TaskDone)
	usedUp := task(core.KindResolve, core.TaskWaiting)
	usedUp.Counted = 2
	a, b := delegated("a", core.DelegationDone), delegated("b", core.DelegationDone)
	busy := delegated("busy", core.DelegationOpen)
	works := func() *core.Stage { return line("busy", task(core.KindWork, core.TaskRunning)) }
	for name, c := range map[string]struct {
		works  []*core.Delegated
		stages []*core.Stage
		want   []string
	}{
		"the first of two":              {[]*core.Delegated{a, b}, []*core.Stage{line("a", worked), line("b", worked)}, []string{"TaskAdmitted a.r1.merge"}},
		"the one that is merged":        {[]*core.Delegated{a, b}, []*core.Stage{line("a", worked), line("b", worked, done)}, []string{"StagePassed b"}},
		"none beside a merge":           {[]*core.Delegated{a, b}, []*core.Stage{line("a", worked), line("b", worked, merging)}, nil},
		"what is done in part":          {[]*core.Delegated{delegated("a", core.DelegationPartial)}, []*core.Stage{line("a", worked)}, []string{"TaskAdmitted a.r1.merge"}},
		"nothing while others work":     {[]*core.Delegated{a, busy}, []*core.Stage{line("a", worked), works()}, nil},
		"what somebody waits for":       {[]*core.Delegated{a, b, busy, delegated("z", core.DelegationWaiting, "b")}, []*core.Stage{line("a", worked), line("b", worked), works()}, []string{"TaskAdmitted b.r1.merge"}},
		"not for who has begun":         {[]*core.Delegated{a, delegated("busy", core.DelegationOpen, "a")}, []*core.Stage{line("a", worked), works()}, nil},
		"not for who waits for another": {[]*core.Delegated{a, busy, delegated("z", core.DelegationWaiting, "busy")}, []*core.Stage{line("a", worked), works()}, nil},
		"refused":                       {[]*core.Delegated{a}, []*core.Stage{line("a", worked, refused)}, []string{"TaskAdmitted a.r1.resolve"}},
		"refused, after one try":        {[]*core.Delegated{a}, []*core.Stage{line("a", worked, refused, resolved, refused)}, []string{"TaskAdmitted a.r1.resolve2"}},
		"refused too often":             {[]*core.Delegated{a}, []*core.Stage{line("a", worked, refused, resolved, refused, resolved, refused)}, []string{"StageDiscarded a: it could not be merged"}},
		"put right":                     {[]*core.Delegated{a}, []*core.Stage{line("a", worked, refused, resolved)}, []string{"TaskAdmitted a.r1.merge2"}},
		"put right at last":             {[]*core.Delegated{a}, []*core.Stage{line("a", worked, refused, resolved, refused, resolved)}, []string{"TaskAdmitted a.r1.merge3"}},
		"merged at last":                {[]*core.Delegated{a}, []*core.Stage{line("a", worked, refused, resolved, refused, resolved, done)}, []string{"StagePassed a"}},
		"put right for the last time":   {[]*core.Delegated{a}, []*core.Stage{line("a", worked, refused, resolved, refused, task(core.KindResolve, core.TaskDelivered))}, []string{"VerifyRequested"}},
		"given up while it is put right": {[]*core.Delegated{a}, []*core.Stage{line("a", worked, refused, usedUp)},
			[]string{"StageDiscarded a: 2 attempts, and its checks still do not hold"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := wave(core.WritesCode, c.works...)
			r.Stages = c.stages
			if diff := cmp.Diff(c.want, outline(waves.Decider{}.Decide(r))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWhatBeginsOfAWave: what has all it needs, with what it is asked for; what waited
// for answers goes on beside it, a bounded number of times.
func TestWhatBeginsOfAWave(t *testing.T) {
	t.Parallel()
	turns := func(n int) *core.Stage {
		s := line("a")
		for range n {
			s.Tasks = append(s.Tasks, task(core.KindWork, core.TaskDone))
		}
		return s
	}
	lacking := delegated("a", core.DelegationWaiting)
	lacking.Brief.Requires = []string{"fact:gone"}
	for name, c := range map[string]struct {
		writes core.Writes
		work   *core.Delegated
		stage  *core.Stage
		branch string
		want   []string
	}{
		"documents":                  {core.WritesArtifacts, delegated("a", core.DelegationWaiting), nil, "", []string{"StageOpened a", "TaskAdmitted a.r1"}},
		"code":                       {core.WritesCode, delegated("a", core.DelegationWaiting), nil, "feature/x-a-1", []string{"StageOpened a", "TaskAdmitted a.r1"}},
		"again":                      {core.WritesCode, delegated("a", core.DelegationWaiting), turns(1), "", []string{"TaskAdmitted a.r1.again2"}},
		"again, for the last time":   {core.WritesCode, delegated("a", core.DelegationWaiting), turns(4), "", []string{"TaskAdmitted a.r1.again5"}},
		"again, too often":           {core.WritesCode, delegated("a", core.DelegationWaiting), turns(5), "", []string{"BriefEnded a failed: it was blocked 5 times", "StageDiscarded a: it was blocked 5 times"}},
		"what it needs is not there": {core.WritesCode, lacking, nil, "", []string{"BriefEnded a failed: fact:gone no longer exists"}},
	} {
		t.Run(name, func(t *testing.T) {
			c.work.Brief.Outputs, c.work.Brief.Criteria, c.work.Brief.Needs = []string{"a.md"}, []core.Criterion{{Text: "it is so"}}, []string{"code"}
			r := wave(c.writes, c.work)
			if c.stage != nil {
				r.Stages = []*core.Stage{c.stage}
			}
			bodies := waves.Decider{}.Decide(r)
			if diff := cmp.Diff(c.want, outline(bodies)); diff != "" {
				t.Error(diff)
			}
			for _, b := range bodies {
				switch b := b.(type) {
				case core.StageOpened:
					if b.Branch != c.branch || b.Base != "c5" {
						t.Errorf("it is begun as %+v", b)
					}
				case core.TaskAdmitted:
					asked := core.Check{Kind: core.CheckAll, Of: []core.Check{
						{Kind: core.CheckOutput, Criteria: c.work.Brief.Criteria, Names: []string{"a.md"}}, {Kind: core.CheckCommand, Run: "make"},
					}}
					want := core.TaskAdmitted{
						Task: b.Task, Stage: "a", Round: 1, Name: b.Name, Role: "dev", Prompt: "do a", Needs: []string{"code"}, Writes: c.writes, Attempts: 2,
						Outputs: []string{core.OutputArtifact, "a.md"}, Done: asked,
					}
					if diff := cmp.Diff(want, b); diff != "" {
						t.Errorf("it is asked for:\n%s", diff)
					}
				default:
				}
			}
		})
	}
}

// TestHowDelegationsEnd: what used its tries up fails with its stage; what changed
// nothing is passed without a merge; what failed is given up. Publishing comes to its
// end as well, or says what stands in its way.
func TestHowDelegationsEnd(t *testing.T) {
	t.Parallel()
	usedUp := task(core.KindWork, core.TaskWaiting)
	usedUp.Counted = 2
	failed := delegated("a", core.DelegationFailed)
	failed.Reason = "x"
	stage := func(change func(s *core.Stage), tasks ...*core.Task) *core.Stage {
		s := line("a", tasks...)
		change(s)
		return s
	}
	as := func(*core.Stage) {}
	publish := func(status core.StageStatus, trouble string) *core.Stage {
		return &core.Stage{ID: core.PublishStage, Status: status, Round: 1, Trouble: trouble, Gate: &core.Gate{}}
	}
	why := "2 attempts, and its checks still do not hold"
	for name, c := range map[string]struct {
		work  *core.Delegated
		stage *core.Stage
		want  []string
	}{
		"its tries are used up":    {delegated("a", core.DelegationOpen), stage(as, usedUp), []string{"BriefEnded a failed: " + why, "StageDiscarded a: " + why}},
		"one is left":              {delegated("a", core.DelegationOpen), stage(as, task(core.KindWork, core.TaskWaiting)), []string{"AttemptRequested"}},
		"it failed":                {failed, stage(as, task(core.KindWork, core.TaskDone)), []string{"StageDiscarded a: x"}},
		"documents alone":          {delegated("a", core.DelegationDone), stage(func(s *core.Stage) { s.Branch = "" }, task(core.KindWork, core.TaskDone)), []string{"StagePassed a"}},
		"no change on its branch":  {delegated("a", core.DelegationPartial), stage(func(s *core.Stage) { s.Line = s.Base }, task(core.KindWork, core.TaskDone)), []string{"StagePassed a"}},
		"a change on its branch":   {delegated("a", core.DelegationPartial), stage(as, task(core.KindWork, core.TaskDone)), []string{"TaskAdmitted a.r1.merge"}},
		"what cannot be published": {delegated("a", core.DelegationDone), publish(core.StageOpen, "declined"), []string{"RunPaused publish: declined"}},
		"what was published":       {delegated("a", core.DelegationDone), publish(core.StageDone, ""), []string{"RunCompleted"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := wave(core.WritesCode, c.work)
			r.Stages = []*core.Stage{c.stage}
			if diff := cmp.Diff(c.want, outline(waves.Decider{}.Decide(r))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
