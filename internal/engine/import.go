package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Import takes over events that a run folder has and the store has not: the
// same sequence and hash is dropped, a longer folder's tail is appended, a
// different hash is refused and named. It returns how many were taken over.
func (e *Engine) Import(ctx context.Context, run string, events []core.Event) (int, error) {
	s := e.streams.get(core.RunStream(run))
	s.mu.Lock()
	defer s.mu.Unlock()
	tail, err := e.unknown(ctx, s.name, events)
	if err == nil && len(tail) > 0 {
		err = e.takeOver(ctx, s, tail)
	}
	if err != nil {
		return 0, err
	}
	return len(tail), e.decideLost(ctx, s)
}

// takeOver judges and commits the events by which a folder is longer.
func (e *Engine) takeOver(ctx context.Context, s *stream, tail []core.Event) error {
	s.drop()
	if err := e.load(ctx, s); err != nil {
		return err
	}
	if _, err := core.VerifyChain(s.head, tail); err != nil {
		return err
	}
	state := &stream{name: s.name, run: s.run.Clone(), head: s.head}
	rows := taskHistory{}
	if err := state.judge(tail, rows); err != nil {
		return err
	}
	if err := e.Left(state.run.Project); err != nil {
		return err
	}
	b := &batch{run: state.run, head: state.head, bodies: core.Bodies{}, commit: store.Commit{Stream: s.name, After: s.head.Seq, Events: tail}}
	if err := e.finish(s, b); err != nil {
		return err
	}
	b.commit.Tasks = rows.all()
	if err := e.store.Commit(ctx, b.commit); err != nil {
		s.drop()
		return err
	}
	_, err := e.committed(ctx, s, b)
	return err
}

// decideLost decides again what was decided in lines that were lost. An earlier
// import may have come to its events and not to this.
func (e *Engine) decideLost(ctx context.Context, s *stream) error {
	if err := e.load(ctx, s); err != nil || s.run == nil || s.run.Status.Terminal() {
		return err
	}
	if d, ok := e.deciders[s.run.Playbook.Kind]; ok && len(core.Decide(s.run, d)) == 0 {
		return nil
	}
	_, err := e.attempt(ctx, s, input{actor: core.Engine(), body: core.TimerFired{Timer: "imported"}})
	return err
}

// judge folds events as replay does, and holds each to the law first: what
// comes from a file was not necessarily written by an engine.
func (s *stream) judge(events []core.Event, rows taskHistory) error {
	for i, ev := range events {
		body, err := core.Decode(ev)
		if err != nil {
			return err
		}
		if ev.Stream != s.name || ev.At.Before(s.head.At) {
			return core.Errorf(core.CodeInvalid, "event %d is not of stream %s, or out of time", ev.Seq, s.name)
		}
		if err := core.Law(s.run, ev.Actor, body); err != nil {
			return core.Errorf(core.CodeInvalid, "event %d of the run's folder is against the law: %w", ev.Seq, err)
		}
		if err := s.replay([]core.Event{ev}); err != nil {
			return err
		}
		rows.put(taskRows(nil, s.run, events[i:i+1]))
	}
	return nil
}

// taskHistory are the rows of all tasks that events tell of, each as it was last
// written: a state holds only those of the current rounds.
type taskHistory map[string]store.TaskRow

func (h taskHistory) put(rows []store.TaskRow) {
	for _, row := range rows {
		h[row.ID] = row
	}
}

func (h taskHistory) all() []store.TaskRow {
	return slices.SortedFunc(maps.Values(h), func(a, b store.TaskRow) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
}

// unknown is the tail of events that the store does not have. It fails if
// the two histories differ.
func (e *Engine) unknown(ctx context.Context, stream string, events []core.Event) ([]core.Event, error) {
	i := 0
	for i < len(events) {
		known, err := e.store.Events(ctx, stream, events[i].Seq-1, readBatch)
		if err != nil {
			return nil, err
		}
		if len(known) == 0 {
			break
		}
		for _, k := range known {
			if k.Erased() {
				_, run := core.StreamKind(stream)
				return nil, core.RunErased(run)
			}
			if i == len(events) {
				return nil, nil
			}
			a, err := k.Hash()
			if err != nil {
				return nil, err
			}
			b, err := events[i].Hash()
			if err != nil {
				return nil, err
			}
			if a != b {
				return nil, core.Errorf(core.CodeForked, "the run folder and the database tell different histories from event %d on", k.Seq).
					WithHint("keep both; resume with the folder of the history you trust in an empty state folder").Offer(core.Choice{Verb: core.VerbStateFolder})
			}
			i++
		}
	}
	return events[i:], nil
}
