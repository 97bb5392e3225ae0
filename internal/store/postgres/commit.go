package postgres

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
)

// Commit appends events and everything that follows from them.
func (s *Store) Commit(ctx context.Context, c store.Commit) error {
	rows, err := c.EventRows()
	if err == nil {
		err = c.Satisfiable()
	}
	if err != nil {
		return err
	}
	if c.Erase != nil {
		return s.erase(ctx, commit{c, rows})
	}
	return s.writer.do(ctx, commit{c, rows}, false)
}

// Await notes that a stream waits for a claim to be released.
func (s *Store) Await(ctx context.Context, stream string, claim core.Claim) error {
	return s.writer.do(ctx, small{fields: fields{"op": "await", "stream": stream, "kind": claim.Kind, "key": claim.Key}}, false)
}

// Events reads a stream in order, all of it if limit is 0.
func (s *Store) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	rows, err := s.q.Events(ctx, query.EventsParams{Stream: stream, After: after, Most: most(limit)})
	if err != nil {
		return nil, explain("events of "+stream, err)
	}
	return eventsOf(stream, rows)
}

func eventsOf(stream string, rows []query.EventsRow) (events []core.Event, err error) {
	events = make([]core.Event, len(rows))
	actors := map[string]core.Actor{} // few say everything
	for i, r := range rows {
		events[i] = core.Event{
			ID: r.ID, Stream: stream, Seq: r.Seq, Type: core.Type(r.Type), V: int(r.V), At: r.At.UTC(), Cause: r.Cause, PrevHash: r.PrevHash, Body: r.Body,
		}
		actor, known := actors[r.Actor]
		if !known {
			if actor, err = core.ReadActor(events[i], []byte(r.Actor)); err != nil {
				return nil, err
			}
			actors[r.Actor] = actor
		}
		events[i].Actor = actor
	}
	return events, nil
}

// Head is where a stream stands; the zero Head if it has no events.
func (s *Store) Head(ctx context.Context, stream string) (core.Head, error) {
	row, err := s.q.Head(ctx, stream)
	if absent(err) {
		return core.Head{}, nil
	}
	return core.Head{Seq: row.Seq, Hash: row.Hash, At: row.At.UTC()}, explain("head of "+stream, err)
}

// Snapshot is the stream's newest snapshot.
func (s *Store) Snapshot(ctx context.Context, stream string) (store.Snapshot, error) {
	row, err := s.q.Snapshot(ctx, stream)
	if err != nil {
		return store.Snapshot{}, missing("snapshot of "+stream, err)
	}
	return store.Snapshot{Head: core.Head{Seq: row.Seq, Hash: row.Hash, At: row.At.UTC()}, Format: int(row.Format), State: row.State}, nil
}
