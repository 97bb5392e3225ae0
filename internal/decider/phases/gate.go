package phases

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// settle decides what happens to a stage whose work is verified: it passes, it
// asks a person, or its findings send the run back.
func settle(r *core.Run, s *core.Stage) core.Body {
	phase := r.Playbook.Phase(s.ID)
	review := s.Review()
	changes := review != nil && review.Status == core.ReviewChangesRequested
	if changes && phase.Findings == core.FindingsAuto && r.AutoRounds < bound(r, phase) {
		return core.RolledBack{From: s.ID, Target: r.WayBack(phase, review.Findings), Findings: review.Findings, Auto: true}
	}
	if !changes && phase.Gate == core.GateAuto && phase.Act == "" {
		return core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}
	}
	ask := core.ApprovalRequested{Subject: core.GateSubject(r, s), Notices: notices(r, s), Leaks: core.Leaks(s)}
	ask.Skips, ask.Findings = core.ProposedSkips(r, s)
	if changes {
		ask.Findings = append(ask.Findings, review.Findings...)
		ask.Suggestion = r.WayBack(phase, review.Findings)
	}
	return ask
}

// bound is how often findings may send the run back without asking.
func bound(r *core.Run, phase *core.Phase) int {
	if phase.FindingsRounds > 0 && phase.FindingsRounds < r.Limits.AutoRounds {
		return phase.FindingsRounds
	}
	return r.Limits.AutoRounds
}

// notices are what a person must know before they approve.
func notices(r *core.Run, s *core.Stage) []string {
	all := work.Unenforced(r)
	if s.Reduced != "" {
		all = append(all, s.Reduced)
	}
	for _, t := range s.Live() {
		if t.Prepared != nil {
			all = append(all, t.Prepared.Notices...)
		}
		if d := t.Delivered(); d != nil {
			for _, rejected := range d.Rejected {
				all = append(all, fmt.Sprintf("%s: not accepted: %s", t.ID, rejected))
			}
		}
	}
	return all
}
