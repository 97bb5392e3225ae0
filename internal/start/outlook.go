package start

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/admission"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/rules"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// outlook gathers the stages of a run that has not begun. Its run has nothing but
// what deciders need to say what a task would be.
type outlook struct {
	run    *core.Run
	m      *core.Management
	stages []api.RehearsedStage
}

// rehearsedStages are the stages that a run can have, in the order it comes to
// them. Work that a plan, a manager or a planner brings about is shown once for
// all of its kind.
func rehearsedStages(started core.RunStarted) []api.RehearsedStage {
	p := &started.Playbook
	o := outlook{run: &core.Run{Playbook: p, Base: started.Base, Branch: started.Branch}, m: p.Project, stages: []api.RehearsedStage{}}
	switch {
	case o.m == nil:
		for _, phase := range p.Phases {
			o.add(rehearsedPhase(phase))
		}
	case o.m.Waves != nil:
		o.waves()
	case o.run.ByManager():
		o.manager()
	default:
		o.rules()
	}
	return o.stages
}

func (o *outlook) add(stage api.RehearsedStage) { o.stages = append(o.stages, stage) }

// work adds a task on a branch of its own, as the deciders admit it.
func (o *outlook) work(kind core.TaskKind, stage api.RehearsedStage) {
	branch := &core.Stage{Conflict: &core.Unmerged{Into: "both sides"}}
	t := work.Admit(o.run, branch, kind, "", "")
	stage.Role, stage.Act, stage.Attempts, stage.Timeout = t.Role, t.Act, t.Attempts, t.Timeout
	stage.Roles = slices.DeleteFunc(slices.Clone(stage.Roles), func(name string) bool { return name == t.Role })
	stage.Checks = check.Names(t.Done, t.Outputs)
	o.add(stage)
}

// thinking adds a task that hands in documents and no code.
func (o *outlook) thinking(kind core.TaskKind, stage api.RehearsedStage, done ...core.Check) {
	stage.Role, stage.Attempts, stage.Timeout = o.m.Roles[kind], o.m.Attempts, o.m.Timeout
	stage.Checks = check.Names(core.Check{Kind: core.CheckAll, Of: done}, nil)
	o.add(stage)
}

// merging adds how work comes into the run's branch.
func (o *outlook) merging(of, when string, resolvers ...string) {
	o.work(core.KindMerge, api.RehearsedStage{ID: of + "/merge", When: when, Does: "merges the branch into " + o.run.Branch})
	o.work(core.KindResolve, api.RehearsedStage{
		ID: of + "/resolve", When: "git finds a conflict, or the merged tree fails its checks", Does: "puts the merge right", Roles: resolvers,
	})
}

func (o *outlook) publish(when string) {
	stage := api.RehearsedStage{
		ID: core.PublishStage, Title: "Publish", When: when, Act: core.ActPullRequest, Gate: core.GateApproval,
		Does:   fmt.Sprintf("opens a pull request from %s into %s", o.run.Branch, dispatch.Target(o.run)),
		Checks: check.Names(dispatch.GateCheck(o.run, core.PublishStage), nil),
	}
	if o.m.Push == core.PushStanding {
		stage.Gate = core.GateAuto
	}
	o.add(stage)
}

// others are the roles that may be given work, in place of the usual one.
func (o *outlook) others(except ...string) []string {
	var names []string
	for _, r := range admission.Roles(o.run.Playbook.Roles, except...) {
		names = append(names, r.Name)
	}
	return names
}

func (o *outlook) rules() {
	open := "for each open step of .ai/plan.md, and each change you ask for"
	if o.m.Roles[core.KindPlan] == "" {
		open += fmt.Sprintf("; without such a plan on %s the run pauses", o.run.Base)
	} else {
		o.thinking(core.KindPlan, api.RehearsedStage{
			ID: core.PlanStage, Title: "Plan", Gate: o.m.PlanGate, When: o.run.Base + " has no .ai/plan.md with open steps", Does: "splits the goal into the steps of .ai/plan.md",
		}, core.Check{Kind: core.CheckArtifact, Name: rules.PlanArtifact}, core.Check{Kind: core.CheckPlan, Name: rules.PlanArtifact})
	}
	o.work(core.KindCode, api.RehearsedStage{
		ID: "step/code", Title: "Each step", When: open, Roles: o.others(),
		Does: "implements the step on a branch of its own, started at most " + times(o.m.Rounds),
	})
	if o.m.Roles[core.KindReview] != "" {
		o.work(core.KindReview, api.RehearsedStage{ID: "step/review", When: reviewed(o.m.Review), Does: "reviews the branch before it is merged"})
		o.work(core.KindFix, api.RehearsedStage{ID: "step/fix", When: "the review asks for changes", Does: "makes them on the same branch", Roles: o.fixers()})
	}
	o.merging("step", "")
	o.publish("every step is merged or skipped")
}

// fixers are the roles that a step can name for its fix: those for its code, unless the playbook has a fixer of its own.
func (o *outlook) fixers() []string {
	if o.m.Roles[core.KindFix] != o.m.Roles[core.KindCode] {
		return nil
	}
	return o.others()
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// reviewed says which steps are reviewed. The plan has the last word about each.
func reviewed(rule core.ReviewRule) string {
	const unless = "; a plan that a person wrote or approved can leave it out"
	switch rule.When {
	case core.ReviewPaths:
		return "the step changes " + strings.Join(rule.Paths, ", ") + ", or the plan asks for a review" + unless
	case core.ReviewNever:
		return "the plan asks for a review"
	case core.ReviewAlways:
	}
	return "always" + unless
}

func (o *outlook) manager() {
	wakes := "the goal is new, work has ended, or you have said something"
	if o.m.Watch != nil {
		wakes = "the goal is new, work has ended, you have said something, or nothing has happened for " + wording.Duration(o.m.Watch.Silent)
	}
	o.thinking(core.KindManage, api.RehearsedStage{
		ID: core.ManagerStage, Title: "Manager", When: wakes, Does: "writes .ai/plan.md, delegates work and asks you; it has no code",
	})
	workers := o.others(o.m.Roles[core.KindManage])
	o.work(core.KindWork, api.RehearsedStage{
		ID: "work", When: "the manager delegates it", Roles: workers,
		Does: "what the manager says, on a branch; the manager can ask for documents and further checks",
	})
	asked := func(of string) string {
		if o.m.Reviews == 0 {
			return "the manager asks for it"
		}
		return "the manager asks for it; after " + of + " of a branch you are asked first"
	}
	o.work(core.KindReview, api.RehearsedStage{
		ID: "work/review", When: asked(wording.Number(o.m.Reviews, "review", "reviews")), Roles: workers, Does: "reviews the branch",
	})
	o.work(core.KindFix, api.RehearsedStage{
		ID: "work/fix", When: asked(wording.Number(o.m.Reviews, "fix", "fixes")), Roles: workers, Does: "puts right what a review found",
	})
	o.merging("work", "the manager says so; at once if it gave the branch no name")
	o.add(api.RehearsedStage{
		ID: "work/validate", Act: core.ActValidate, When: "the manager asks for it", Does: "checks " + o.run.Branch + " once more", Checks: check.Names(o.m.Done, nil),
	})
	o.publish("the manager asks for it")
}

func (o *outlook) waves() {
	bounds, decision := o.m.Waves, core.Check{Kind: core.CheckDecision}
	o.thinking(core.KindWave, api.RehearsedStage{
		ID: core.PlannerStage, Title: "Split the goal", Does: fmt.Sprintf("splits the goal into delegations, at most %d a wave", bounds.Delegations),
	}, decision)
	workers := o.others(o.m.Roles[core.KindWave])
	answer := core.Check{Kind: core.CheckOutput}
	o.add(api.RehearsedStage{
		ID: "delegation", Title: "Each delegation", When: "the planner delegates it", Roles: workers,
		Does: "what the planner says; the delegation's own criteria must be met as well", Attempts: o.m.Attempts, Timeout: o.m.Timeout,
		Checks: check.Names(core.Check{Kind: core.CheckAll, Of: append([]core.Check{answer}, work.Parts(o.m.Done)...)}, nil),
	})
	if bounds.Writes == core.WritesCode {
		o.merging("delegation", "others wait for it, or the wave is over", workers...)
	}
	o.thinking(core.KindWave, api.RehearsedStage{
		ID: "planner/close", Title: "Close the wave", When: "a wave is over; there are at most " + wording.Count(bounds.Waves, "wave"),
		Does: "sums the wave up and decides: another, a question to you, or the end",
	}, decision, core.Check{Kind: core.CheckArtifact, Name: core.CompactArtifact}, core.Check{Kind: core.CheckArtifact, Name: core.DetailedArtifact})
	if bounds.Writes == core.WritesCode {
		o.publish("the planner finishes and something has changed")
	}
}
