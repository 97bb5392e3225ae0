package rules

import (
	"maps"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// PlanArtifact is the document in which a plan is handed in.
const PlanArtifact = "plan.md"

// planned makes sure that there is a plan that can be followed.
func planned(r *core.Run) []core.Body {
	if r.Driving.Plan.Trouble != "" {
		return []core.Body{core.RunPaused{
			Code: core.PauseInput, Stage: core.PlanStage, Reason: "the plan cannot be followed: " + r.Driving.Plan.Trouble,
			Advice: core.Advice{Hint: "correct .ai/plan.md on " + r.Base + " and start another run", Choices: r.Choices(core.VerbCancel)},
		}}
	}
	s := r.Stage(core.PlanStage)
	switch {
	case s != nil && (s.Status == core.StageOpen || s.Status == core.StageGated):
		return planning(r, s)
	case s != nil && s.Status == core.StageDone:
		return takePlan(r, s)
	case s != nil && s.Status == core.StageStale, s == nil && lacksPlan(r):
		return openPlan(r, s)
	}
	return nil
}

// lacksPlan reports that there is no plan, or only one that was done before this run began. A plan that a manager has
// delegated from in this run is this run's.
func lacksPlan(r *core.Run) bool {
	if r.Managing.Delegated > 0 && len(r.Driving.Plan.Steps) > 0 {
		return false
	}
	for _, step := range r.Driving.Plan.Steps {
		if !step.Done || r.Stage(stageOf(step)) != nil {
			return false
		}
	}
	return true
}

func openPlan(r *core.Run, s *core.Stage) []core.Body {
	m := r.Playbook.Project
	role := m.Roles[core.KindPlan]
	if role == "" {
		return []core.Body{core.RunPaused{
			Code: core.PauseInput, Stage: core.PlanStage, Reason: "there is no .ai/plan.md with open steps on " + r.Base + ", and the playbook names nobody who writes one",
			Advice: core.Advice{Hint: "write the plan, or give the playbook a `plan: {role: …}`"},
		}}
	}
	opened := core.StageOpened{Stage: core.PlanStage, Round: r.NextRound(core.PlanStage), Reason: core.OpenAdvance, Base: r.Head, Title: "Plan"}
	if s != nil && s.Next != nil {
		opened.Reason = s.Next.Reason
	}
	return []core.Body{opened, core.TaskAdmitted{
		Task: core.TaskID(core.PlanStage, opened.Round, ""), Stage: core.PlanStage, Round: opened.Round, Kind: core.KindPlan, Role: role,
		Writes: core.WritesArtifacts, Outputs: []string{PlanArtifact}, Attempts: m.Attempts, Timeout: m.Timeout,
		Done: core.Check{Kind: core.CheckAll, Of: []core.Check{{Kind: core.CheckArtifact, Name: PlanArtifact}, {Kind: core.CheckPlan, Name: PlanArtifact, Names: roles(r)}}},
	}}
}

// roles are the roles that a plan may name.
func roles(r *core.Run) []string { return slices.Sorted(maps.Keys(r.Playbook.Roles)) }

// planning drives the planner's work to its gate.
func planning(r *core.Run, s *core.Stage) []core.Body {
	if s.Status == core.StageGated {
		if s.Gate == nil || !s.Gate.Approved {
			return nil
		}
		return []core.Body{core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}}
	}
	for _, t := range s.Tasks {
		if b := work.Next(r, s, t); b != nil {
			return []core.Body{b}
		}
	}
	switch {
	case !s.TasksDone():
		return nil
	case r.Playbook.Project.PlanGate == core.GateApproval:
		return []core.Body{core.ApprovalRequested{Subject: core.GateSubject(r, s), Notices: work.Unenforced(r)}}
	}
	return []core.Body{core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}}
}

// takePlan commits a plan that passed.
func takePlan(r *core.Run, s *core.Stage) []core.Body {
	a := r.Artifact(PlanArtifact)
	if s.Merged != "" || a == nil || work.Moving(r) {
		return nil
	}
	return []core.Body{core.PlanWriteRequested{Artifact: a.Digest, Message: "the steps of " + r.Title}}
}

// marked marks merged steps as done.
func marked(r *core.Run) []core.Body {
	if work.Moving(r) {
		return nil
	}
	var done []string
	for _, step := range r.Driving.Plan.Steps {
		if s := r.Stage(stageOf(step)); !step.Done && s != nil && s.Status == core.StageDone {
			done = append(done, step.ID)
		}
	}
	if len(done) == 0 {
		return nil
	}
	return []core.Body{core.PlanWriteRequested{Done: done, Message: "done: " + strings.Join(done, ", ")}}
}
