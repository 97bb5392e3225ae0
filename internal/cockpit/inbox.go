package cockpit

import (
	"net/http"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// item is something that waits, with the evidence a person decides by.
type item struct {
	api.Waiting
	Detail   api.RunDetail // of who waits at a gate or is paused
	Evidence []evidence
}

// evidence is the newest verified attempt of a task.
type evidence struct {
	Task    string
	Role    string
	Attempt api.Attempt
}

func (c *cockpit) inboxPage(r *http.Request) (page, error) {
	waiting, err := c.svc.Inbox(r.Context())
	if err != nil {
		return page{}, err
	}
	items := make([]item, 0, len(waiting))
	for _, w := range waiting {
		it := item{Waiting: w}
		if w.Gate != nil || w.Pause != nil && w.Pause.Code == core.PauseAttempts {
			d, err := c.svc.Run(r.Context(), w.Run.ID)
			if err != nil && (r.Context().Err() != nil || core.CodeOf(err) == core.CodeUnavailable) {
				return page{}, err
			}
			if err != nil {
				items = append(items, item{Waiting: api.Waiting{
					Kind: api.WaitUnreadable, Since: w.Since, Project: w.Project, Run: w.Run, Reason: "it cannot be read: " + err.Error(), Next: core.HintOf(err),
				}})
				continue
			}
			if w.Gate != nil && d.Gate == nil {
				continue // somebody has just decided
			}
			it.Gate, it.Detail, it.Evidence = d.Gate, d, evidenceOf(d)
		}
		items = append(items, it)
	}
	return page{Name: "inbox", Title: "Inbox", Nav: "inbox", Body: items}, nil
}

// evidenceOf is what the outside checks said about the stage that waits, and
// about what has no try left.
func evidenceOf(d api.RunDetail) []evidence {
	var list []evidence
	for _, s := range d.Stages {
		for _, t := range s.Tasks {
			if n := len(t.Attempts); n > 0 && (stuck(t) || d.Gate != nil && s.ID == d.Stage) {
				list = append(list, evidence{Task: t.ID, Role: t.Role, Attempt: t.Attempts[n-1]})
			}
		}
	}
	return list
}
