package cockpit

import (
	"net/http"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// planBody is what a run means to do, step by step and in its own words.
type planBody struct {
	api.RunDetail
	Steps []planStep
	Done  int
	Plan  api.Plan
}

// planStep is a step of the plan, with the names of those it waits for.
type planStep struct {
	api.Piece
	Stage string // that it is done in, if that has begun
}

func (c *cockpit) plan(r *http.Request, d api.RunDetail) (page, error) {
	outline, err := c.svc.Outline(r.Context(), d.ID)
	if err != nil {
		return page{}, err
	}
	body := planBody{RunDetail: d}
	for _, piece := range outline.Pieces {
		s := planStep{Piece: piece}
		if slices.ContainsFunc(d.Stages, func(have api.Stage) bool { return have.ID == core.StepStage(piece.ID) }) {
			s.Stage = core.StepStage(piece.ID)
		}
		if piece.Status == api.PieceStatus(core.DelegationDone) {
			body.Done++
		}
		body.Steps = append(body.Steps, s)
	}
	body.Plan, err = c.svc.Plan(r.Context(), d.ID)
	if err != nil && core.CodeOf(err) != core.CodeNotFound { // there is none yet
		return page{}, err
	}
	return page{Name: "plan", Title: "Plan", Body: body}, nil
}
