package show

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Holding are the facts that hold.
func Holding(w *core.Waves) []core.Fact {
	var facts []core.Fact
	for _, f := range w.Pool {
		if f.SupersededBy == nil {
			facts = append(facts, f)
		}
	}
	return facts
}

// Outline shows the pieces of work of a run, whatever its kind calls them.
func Outline(r *core.Run) api.Outline {
	out := api.Outline{Run: r.Alias, Kind: r.Playbook.Kind}
	switch {
	case r.ByWaves():
		out.Wave, out.Open, out.Pieces = r.Waves.N, r.Waves.Open, wavePieces(r)
	case r.Managed():
		out.Pieces = stepPieces(r)
	default:
		out.Pieces = phasePieces(r)
	}
	return out
}

// wavePieces are the delegations of a run in waves, in the order they were
// admitted.
func wavePieces(r *core.Run) []api.Piece {
	var pieces []api.Piece
	for _, d := range r.Waves.Works {
		p := api.Piece{
			ID: d.Brief.ID, Title: d.Brief.Title(), Role: d.Brief.Agent, Wave: d.Wave, Status: api.PieceStatus(d.Status),
			After: d.Brief.DependsOn, Waits: d.Waits, Unmet: d.Unmet, Reason: d.Reason, Stale: d.Stale,
		}
		if s := r.Stage(d.Brief.ID); s != nil {
			p.Branch = s.Branch
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// stepPieces are the steps of a project's plan.
func stepPieces(r *core.Run) []api.Piece {
	if r.Driving.Plan == nil {
		return nil
	}
	var pieces []api.Piece
	for _, step := range r.Driving.Plan.Steps {
		p := api.Piece{ID: step.ID, Title: step.Title, Role: step.Role, After: step.After, Status: api.PieceStatus(core.DelegationWaiting)}
		if s := r.Stage(core.StepStage(step.ID)); s != nil {
			p.Branch = s.Branch
			p.Status, p.Reason = standing(r, s)
		}
		if step.Done {
			p.Status = api.PieceStatus(core.DelegationDone)
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// phasePieces are the phases of a playbook, one after the other.
func phasePieces(r *core.Run) []api.Piece {
	var pieces []api.Piece
	for i, phase := range r.Playbook.Phases {
		p := api.Piece{ID: phase.ID, Title: phase.Title, Role: phase.Role, Status: api.PieceStatus(core.DelegationWaiting)}
		switch {
		case phase.Team != nil:
			p.Role = phase.Team.Hub
		case phase.Act != "":
			p.Role = string(phase.Act)
		}
		if i > 0 {
			p.After = []string{r.Playbook.Phases[i-1].ID}
		}
		if s := r.Stage(phase.ID); s != nil {
			p.Status, p.Reason = standing(r, s)
		}
		pieces = append(pieces, p)
	}
	return pieces
}

// standing is how a stage stands, and why it does not go on. One that is open and
// that nothing but a person's word brings further is stuck.
func standing(r *core.Run, s *core.Stage) (status api.PieceStatus, reason string) {
	status, reason = pieceStatus(s.Status), s.Trouble
	if s.Status != core.StageOpen || r.Status.Terminal() {
		return status, reason
	}
	if r.Pause != nil && r.Pause.Stage == s.ID {
		return api.PieceStuck, cmp.Or(reason, r.Pause.Reason)
	}
	for _, t := range s.Tasks {
		if t.Status == core.TaskWaiting && t.Limit > 0 && t.Counted >= t.Limit {
			return api.PieceStuck, cmp.Or(reason, fmt.Sprintf("%s has no try left", t.ID))
		}
	}
	return status, reason
}

func pieceStatus(s core.StageStatus) api.PieceStatus {
	switch s {
	case core.StageDone:
		return api.PieceStatus(core.DelegationDone)
	case core.StagePending:
		return api.PieceStatus(core.DelegationWaiting)
	case core.StageOpen, core.StageGated, core.StageOmitted, core.StageStale:
	}
	return api.PieceStatus(s)
}

// waves shows how a run stands whose work is delegated in waves.
func waves(r *core.Run) *api.Waves {
	w := &api.Waves{
		N: r.Waves.N, Most: r.Playbook.Project.Waves.Waves, Open: r.Waves.Open, Since: r.Waves.Since, Pieces: wavePieces(r),
		Refused: r.Waves.Refused, Objections: r.Waves.Objections, Facts: len(Holding(r.Waves)),
	}
	if s := r.Stage(core.PlannerStage); s != nil {
		w.Planning = s.Status == core.StageOpen
	}
	if !r.Status.Terminal() { // nobody would read the answers
		for _, q := range r.Questions {
			w.Questions = append(w.Questions, openQuestion(r, q))
		}
	}
	w.Asks = r.Pause != nil && r.Pause.Code == core.PauseQuestion
	w.Due = goesOn(slices.DeleteFunc(slices.Clone(r.Questions), func(q core.Question) bool { return !q.Blocking }))
	return w
}
