package engine

import (
	"cmp"
	"crypto/sha256"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// addressee is who a task is for. Work without a kind is code. A worker's ends in
// an id that no task of another run has.
func addressee(r *core.Run, s *core.Stage, t *core.Task) string {
	switch {
	case t.Kind == core.KindManage:
		return manager(r)
	case t.Kind == core.KindWave:
		return planner(r)
	case !r.Managed():
		return "worker-" + s.ID + "-" + workerID(r, t)
	}
	return "worker-" + cmp.Or(string(t.Kind), string(core.KindCode)) + "-" + workerID(r, t)
}

// workerID is derived from the task's id in the table, so that a table that is
// built again has the same.
func workerID(r *core.Run, t *core.Task) string {
	const custom = 8 // version of a UUID made in a way of one's own (RFC 9562)
	return uuid.NewHash(sha256.New(), uuid.Nil, []byte(r.TaskID(t.ID)), custom).String()
}

func manager(r *core.Run) string { return "project-mgr-" + r.Project }

func planner(r *core.Run) string { return "planner-" + r.ID }

// The creators that are no addressees.
const (
	byEngine   = "engine"
	byWatchdog = "watchdog"
)

// creator is who wanted a task: who proposed it, who woke the manager first, the
// planner for what it delegated, whose word led to it; and the engine for what
// follows from the playbook.
func creator(r *core.Run, s *core.Stage, t *core.Task) string {
	if t.Kind == core.KindManage && s.Turn != nil && len(s.Turn.Wakes) > 0 {
		return waker(r, s.Turn.Wakes[0])
	}
	if t.Delegation != "" {
		if d := r.Delegation(t.Delegation); d != nil && d.By.Kind == core.ActorPerson {
			return speaker(r, d.By)
		}
		return manager(r)
	}
	if r.ByWaves() && t.Kind == core.KindWork && r.Waves.Work(s.ID) != nil {
		return planner(r)
	}
	return speaker(r, t.By)
}

// waker is who woke the manager.
func waker(r *core.Run, w core.Wake) string {
	if w.Kind == core.WakeWatchdog {
		return byWatchdog
	}
	if w.Kind == core.WakeChanges && w.By.Kind != core.ActorPerson {
		for _, c := range r.Driving.Changes { // somebody on the forge
			if c.ID == w.Subject && c.Source != "" {
				return c.Source
			}
		}
	}
	return speaker(r, w.By)
}

// speaker names who gave a word. A policy says itself whose it is, as the queue of
// epics does: "epic-1, queued by ada".
func speaker(r *core.Run, by core.Actor) string {
	switch by.Kind {
	case core.ActorPerson, core.ActorPolicy:
		return by.ID
	case core.ActorSession:
		return "session-" + by.ID
	case core.ActorAgent:
		return manager(r)
	case core.ActorEngine, core.ActorDecider:
	}
	return byEngine
}
