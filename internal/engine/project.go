package engine

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Project is a project's present state; nil where it is not registered.
func (e *Engine) Project(ctx context.Context, id string) (*core.Project, error) {
	var p *core.Project
	for {
		after := int64(0)
		if p != nil {
			after = p.Stream.Seq
		}
		events, err := e.store.Events(ctx, core.ProjectStream(id), after, readBatch)
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			return p, nil
		}
		for _, ev := range events {
			if p, err = core.FoldProject(p, ev); err != nil {
				return nil, err
			}
			if p.Stream.Hash, err = ev.Hash(); err != nil {
				return nil, err
			}
		}
	}
}

// Record appends an event to a project's stream.
func (e *Engine) Record(ctx context.Context, project string, actor core.Actor, body core.Body, row *store.ProjectRow) error {
	if err := core.ActorMay(actor, body); err != nil {
		return err
	}
	for {
		p, err := e.Project(ctx, project)
		if err != nil {
			return err
		}
		var head core.Head
		if p != nil {
			head = p.Stream
		}
		now, err := e.store.Now(ctx)
		if err != nil {
			return err
		}
		ev, _, err := core.Seal(core.ProjectStream(project), head, now, actor, "", body)
		if err != nil {
			return err
		}
		err = e.store.Commit(ctx, store.Commit{Stream: ev.Stream, After: head.Seq, Events: []core.Event{ev}, Project: row})
		if !errors.Is(err, store.ErrStale) {
			return err
		}
	}
}
