package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Replay implements api.Service: it derives the state again from the events
// and, if the versions are the same, the decisions.
func (a *Service) Replay(ctx context.Context, id string) (api.Replay, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return api.Replay{}, err
	}
	r := replayer{}
	for _, d := range a.deciders {
		if d.Kind() == run.Playbook.Kind {
			r.decider = d
		}
	}
	for {
		events, err := a.store.Events(ctx, core.RunStream(run.ID), r.head.Seq, 1000)
		if err != nil {
			return r.result, err
		}
		if len(events) == 0 {
			break
		}
		if err := r.fold(events); err != nil {
			return r.result, err
		}
	}
	if r.run == nil {
		return r.result, nil
	}
	r.run.Stream = r.head
	r.result.StateEqual = same(run, r.run) || r.head.Seq != run.Stream.Seq
	return r.result, nil
}

type replayer struct {
	decider core.Decider
	run     *core.Run
	head    core.Head
	queue   []core.Body
	result  api.Replay
}

func (r *replayer) fold(events []core.Event) error {
	head, err := core.VerifyChain(r.head, events)
	if err != nil {
		return err
	}
	for _, e := range events {
		body, err := r.compare(e)
		if err != nil {
			return err
		}
		if body == nil {
			if body, err = core.Decode(e); err != nil {
				return err
			}
		}
		r.run = core.FoldBody(r.run, e, body)
		r.run.Stream.Seq, r.run.Stream.At = e.Seq, e.At
		r.result.Events++
	}
	r.head = head
	return nil
}

// compare derives a decision again and notes the first that differs. It returns
// the decision if that is what the event says, byte for byte.
func (r *replayer) compare(e core.Event) (core.Body, error) {
	if e.Actor.Kind != core.ActorDecider {
		r.queue = nil
		return nil, nil
	}
	if e.Actor.Version != core.DecisionActor(r.decider).Version {
		r.result.Other++
		r.queue = nil
		return nil, nil
	}
	if len(r.queue) == 0 {
		r.queue = core.Decide(r.run, r.decider)
	}
	r.result.Decisions++
	if len(r.queue) == 0 {
		r.differs(e, "nothing")
		return nil, nil
	}
	want := r.queue[0]
	r.queue = r.queue[1:]
	raw, err := json.Marshal(want)
	if err != nil {
		return nil, fmt.Errorf("encode a decision: %w", err)
	}
	if core.TypeOf(want) != e.Type || !bytes.Equal(raw, e.Body) {
		r.differs(e, string(core.TypeOf(want))+" "+string(raw))
		return nil, nil
	}
	return want, nil
}

func (r *replayer) differs(e core.Event, now string) {
	if r.result.Difference == "" {
		r.result.Difference = fmt.Sprintf("event %d was %s %s; the same state now decides %s", e.Seq, e.Type, e.Body, now)
	}
}

func same(a, b *core.Run) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}
