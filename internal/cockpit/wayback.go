package cockpit

import (
	"net/http"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// wayBack are the stages that a run can be sent back to from where it waits, the
// newest first. It has none where the run takes words as a whole.
type wayBack struct {
	Stages []api.Stage
	To     string // the one that is meant unless somebody chooses
}

// backFrom is the way back from a gate: to the stage that waits, if somebody there
// can act on words, and to those that passed. Meant is what a review suggests, or
// else who wrote the code last: words on code are for them.
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

// backwards are the stages that somebody can do again, the newest first: those that
// passed, and the last one, where a run stands, if it takes words itself.
func backwards(stages []api.Stage, last bool) []api.Stage {
	var list []api.Stage
	for i, s := range slices.Backward(stages) {
		if i == len(stages)-1 && last || i < len(stages)-1 && s.Status == core.StageDone {
			list = append(list, s)
		}
	}
	return list
}

// meant is who wrote the code last, or else the newest.
func (w wayBack) meant() string {
	if i := slices.IndexFunc(w.Stages, func(s api.Stage) bool { return s.Code }); i >= 0 {
		return w.Stages[i].ID
	}
	if len(w.Stages) > 0 {
		return w.Stages[0].ID
	}
	return ""
}

// Name is what the stage that is meant is called.
func (w wayBack) Name() string { return titleOf(w.Stages, w.To) }

// sendBack sends words to the stage that was chosen, or to the one that waits.
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
