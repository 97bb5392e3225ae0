package core

import (
	"fmt"
	"slices"
)

// PlanArtifact is the document in which a phase proposes to leave out later
// ones. It is read if one of those is skippable.
const PlanArtifact = "plan.json"

// SkipProposal is a stage that a plan proposes to leave out.
type SkipProposal struct {
	Stage  string `json:"stage"`
	Reason string `json:"reason"`
}

// asksAgain reports that a skip holds only as long as its ground does: when an
// earlier stage is redone, whether to skip is decided anew.
func (s SkipSource) asksAgain() bool { return s == SkipWhen || s == SkipPlan }

// ProposedSkips are the stages that an approval of the stage's plan leaves out,
// and what is wrong with its other proposals. Both follow from what was handed
// in, so an approval that is bound to that is bound to them.
func ProposedSkips(r *Run, s *Stage) (skips []SkipProposal, refused []Finding) {
	later := r.Playbook.Skippable(s.ID)
	allowed := func(stage string) bool {
		return slices.ContainsFunc(later, func(p Phase) bool { return p.ID == stage })
	}
	for _, proposed := range s.proposals() {
		switch {
		case r.Playbook.Phase(proposed.Stage) == nil:
			refused = append(refused, refusedSkip(proposed, "there is no such phase"))
		case !allowed(proposed.Stage):
			refused = append(refused, refusedSkip(proposed, "the playbook does not let a plan leave it out"))
		case slices.ContainsFunc(skips, func(s SkipProposal) bool { return s.Stage == proposed.Stage }):
		default:
			skips = append(skips, proposed)
		}
	}
	return skips, refused
}

func refusedSkip(s SkipProposal, why string) Finding {
	return Finding{File: PlanArtifact, Issue: fmt.Sprintf("proposes to skip %q: %s, so it is not skipped", s.Stage, why)}
}

// proposals are what the newest plan of the round proposes to leave out.
func (s *Stage) proposals() []SkipProposal {
	for _, t := range slices.Backward(s.Live()) {
		if a := t.Last(); a != nil && a.Verdict == VerdictPassed && slices.Contains(t.Outputs, PlanArtifact) {
			return a.Skips
		}
	}
	return nil
}

// PlannedSkip is how the approved plan in force leaves the stage out, and the
// event that asked for its approval. In force is the plan of the nearest
// stage before that hands one in: passed, with an approval of its present
// round. A plan that was overruled for this stage does not leave it out.
func PlannedSkip(r *Run, s *Stage) (skip SkipProposal, plan string, planned bool) {
	phase := r.Playbook.Phase(s.ID)
	if phase == nil || !phase.Skippable {
		return SkipProposal{}, "", false
	}
	gate := planInForce(r, s)
	if gate == nil || gate.Event == s.Insisted {
		return SkipProposal{}, "", false
	}
	proposed := find(gate.Skips, func(skip *SkipProposal) bool { return skip.Stage == s.ID })
	if proposed == nil {
		return SkipProposal{}, "", false
	}
	return *proposed, gate.Event, true
}

func planInForce(r *Run, before *Stage) *Gate {
	var planner *Stage
	for _, s := range r.Stages {
		if s == before {
			break
		}
		if phase := r.Playbook.Phase(s.ID); phase != nil && slices.Contains(phase.Outputs, PlanArtifact) && s.Status != StageOmitted {
			planner = s
		}
	}
	if planner == nil || planner.Status != StageDone || planner.Gate == nil || !planner.Gate.Approved || planner.Gate.Subject.Round != planner.Round {
		return nil
	}
	return planner.Gate
}
