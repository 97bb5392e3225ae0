package main

import (
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
)

// history is a run of at least n events as an engine would have written them,
// made without a store. It ends between two steps.
func history(started core.RunStarted, n int, now time.Time) ([]core.Event, error) {
	h := &scribe{stream: core.RunStream(started.Run), head: core.Head{At: now}}
	for actor, body := person(), core.Body(started); ; actor, body = next(h.run) {
		if err := h.step(actor, body); err != nil {
			return nil, err
		}
		if len(h.events) >= n {
			return h.events, nil
		}
	}
}

type scribe struct {
	stream string
	run    *core.Run
	head   core.Head
	events []core.Event
}

func (h *scribe) step(actor core.Actor, body core.Body) error {
	if err := h.add(actor, "", body); err != nil {
		return err
	}
	cause := h.events[len(h.events)-1].ID
	for {
		bodies := core.Decide(h.run, phases.Decider{})
		if len(bodies) == 0 {
			return nil
		}
		for _, b := range bodies {
			if err := h.add(core.ActorFor(h.run, phases.Decider{}, b), cause, b); err != nil {
				return err
			}
		}
	}
}

func (h *scribe) add(actor core.Actor, cause string, body core.Body) error {
	if err := core.Law(h.run, actor, body); err != nil {
		return err
	}
	event, head, err := core.Seal(h.stream, h.head, h.head.At, actor, cause, body)
	if err != nil {
		return err
	}
	h.run, h.head = core.FoldBody(h.run, event, body), head
	h.events = append(h.events, event)
	return nil
}
