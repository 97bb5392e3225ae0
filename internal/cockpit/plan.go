package cockpit

import (
	"maps"
	"net/http"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// planFile is the document that holds the steps.
const planFile = "plan.md"

// planBody is what a run means to do, step by step and in its own words.
type planBody struct {
	api.RunDetail
	Steps   []planStep
	Done    int
	Plan    api.Plan
	Text    string // of the plan
	Others  []planDocument
	Missing bool // there is no plan yet
}

// planStep is a step of the plan, with the names of those it waits for.
type planStep struct {
	api.Piece
	Stage string // that it is done in, where that has begun
}

// planDocument is what lies beside the plan.
type planDocument struct{ Name, Text string }

func (c *cockpit) plan(r *http.Request) (page, error) {
	d, err := c.svc.Run(r.Context(), r.PathValue("run"))
	if err != nil {
		return page{}, err
	}
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
		if piece.Status == string(core.DelegationDone) {
			body.Done++
		}
		body.Steps = append(body.Steps, s)
	}
	body.Plan, err = c.svc.Plan(r.Context(), d.ID)
	body.Missing = core.CodeOf(err) == core.CodeNotFound
	if err != nil && !body.Missing {
		return page{}, err
	}
	for _, name := range slices.Sorted(maps.Keys(body.Plan.Files)) {
		if name == planFile {
			body.Text = body.Plan.Files[name]
			continue
		}
		body.Others = append(body.Others, planDocument{name, body.Plan.Files[name]})
	}
	p, err := c.runPage(r, d, "plan", "Plan")
	p.Body = body
	return p, err
}
