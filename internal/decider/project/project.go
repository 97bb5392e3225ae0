// Package project decides for a project: which epic of its queue becomes a run, which of its runs pause and resume with
// it, and what becomes of an epic whose run cannot be started. The law judges each decision in the transaction that
// carries it out; this package must not know who does that.
package project

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Decider decides about projects. It keeps no state.
type Decider struct{}

// retries are the waits after each start of an epic that failed for a reason that may pass. After one more failure the
// epic is refused.
var retries = [...]time.Duration{2 * time.Second, 15 * time.Second, time.Minute, 3 * time.Minute}

// Decide says what the project's state asks for.
func (d Decider) Decide(p *core.Project, f core.ProjectFacts) core.ProjectActions {
	a := core.ProjectActions{}
	still := p.Still() != nil
	for _, run := range f.Open {
		switch {
		case still && (run.Pause == "" || run.Pause == core.PauseQuestion): // a default answer would end that pause
			a.Pause = append(a.Pause, run.ID)
		case !still && run.Pause == core.PauseProject:
			a.Resume = append(a.Resume, run.ID)
		}
	}
	if waiting := p.Waiting(); len(waiting) > 0 {
		d.next(p, f, &waiting[0], &a)
	}
	return a
}

// next starts the next epic, if nothing prevents it.
func (d Decider) next(p *core.Project, f core.ProjectFacts, e *core.QueuedEpic, a *core.ProjectActions) {
	if f.Begun {
		a.Taken = &core.EpicTaken{Epic: e.ID, Run: e.Run}
		return
	}
	due := d.Due(p)
	if p.Still() == nil && f.Driver == "" && (due == nil || !f.Now.Before(*due)) {
		a.Start = e
	}
}

// Due is when an epic whose start failed is tried again; nil if there is none.
func (Decider) Due(p *core.Project) *time.Time {
	waiting := p.Waiting()
	if len(waiting) == 0 || waiting[0].TriedAt == nil {
		return nil
	}
	due := waiting[0].TriedAt.Add(retries[min(waiting[0].Tries, len(retries))-1])
	return &due
}

// Failed says what becomes of an epic whose run could not be started: it is tried again, or refused. It is nil if it is no
// longer the epic's turn, because then a person kept it from starting.
func (Decider) Failed(p *core.Project, f core.StartFailure) core.Body {
	if p.Still() != nil || p.Place(f.Epic) != 1 {
		return nil
	}
	if f.Passing && p.Epic(f.Epic).Tries < len(retries) {
		return core.EpicPostponed{Epic: f.Epic, Reason: f.Reason}
	}
	return core.EpicRefused{Epic: f.Epic, Reason: f.Reason, Advice: f.Advice}
}
