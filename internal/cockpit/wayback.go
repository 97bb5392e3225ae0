package cockpit

import (
	"net/http"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// wayBack lists the stages that a waiting run can be sent back to, the newest first.
// It is empty if feedback goes to the run as a whole.
type wayBack struct {
	Stages []api.Stage
	To     string // the one that is chosen at first
}

// backFrom is the way back from a gate: to the stage that waits, if an agent works in
// it, and to those that passed. Chosen at first is what a review suggests, or else the
// stage that wrote code last: feedback is mostly about code.
func backFrom(d api.RunDetail) wayBack {
	at := slices.IndexFunc(d.Stages, func(s api.Stage) bool { return s.ID == d.Stage })
	if d.Onward || d.Waves != nil || d.Gate == nil || at < 0 {
		return wayBack{}
	}
	acts := slices.ContainsFunc(d.Stages[at].Tasks, func(t api.Task) bool { return t.Act != "" })
	way := wayBack{Stages: backwards(d.Stages[:at+1], !acts), To: d.Gate.Suggestion}
	if way.To == "" {
		way.To = way.meant()
	}
	return way
}

// backwards are the stages that can be done again, the newest first: those that
// passed, and the last one if last is set.
func backwards(stages []api.Stage, last bool) []api.Stage {
	var list []api.Stage
	for i, s := range slices.Backward(stages) {
		if i == len(stages)-1 && last || i < len(stages)-1 && s.Status == core.StageDone {
			list = append(list, s)
		}
	}
	return list
}

// meant is the stage that wrote code last, or else the newest.
func (w wayBack) meant() string {
	if i := slices.IndexFunc(w.Stages, func(s api.Stage) bool { return s.Code }); i >= 0 {
		return w.Stages[i].ID
	}
	if len(w.Stages) > 0 {
		return w.Stages[0].ID
	}
	return ""
}

// Name is the title of the stage that is chosen at first.
func (w wayBack) Name() string { return titleOf(w.Stages, w.To) }

// sendBack sends feedback to the stage that was chosen, or to the one that waits.
func (c *cockpit) sendBack(r *http.Request, run string, back api.Rollback) (api.Run, error) {
	if back.To != "" && back.To != back.Subject.Stage {
		return c.svc.Rollback(r.Context(), run, back)
	}
	if back.Text == "" {
		_, err := text(r)
		return api.Run{}, err
	}
	return c.svc.Feedback(r.Context(), run, api.Feedback{Subject: back.Subject, Text: back.Text, Reset: back.Reset})
}
