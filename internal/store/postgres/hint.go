package postgres

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
)

// Hints lists the hints of an engine's projects that are pending or due.
func (s *Store) Hints(ctx context.Context, engine string, limit int) ([]store.Hint, error) {
	now, err := s.Now(ctx)
	if err != nil {
		return nil, err
	}
	rows, err := s.q.Hints(ctx, query.HintsParams{Engine: engine, Now: now, Most: most(limit)})
	return list("hints", rows, err, func(r query.HintsRow) store.Hint {
		return store.Hint{Stream: r.Stream, Project: r.Project, Seq: r.HintSeq, Fence: r.Fence, DueSeq: r.DueSeq, Head: r.Head}
	})
}

// Raised is what a look that begins now will have seen. However many looks begin at once, half of the connections are left to what
// somebody waits for.
func (s *Store) Raised(ctx context.Context, stream string, after int64, limit int) (raised int64, news []core.Event, err error) {
	select {
	case s.looks <- struct{}{}:
	case <-ctx.Done():
		return 0, nil, explain("hint of "+stream, ctx.Err())
	}
	defer func() { <-s.looks }()
	rows, err := s.q.Raised(ctx, query.RaisedParams{Stream: stream, After: after, Most: most(limit)})
	if err == nil && len(rows) == 0 {
		err = pgx.ErrNoRows
	}
	if err != nil {
		return 0, nil, missing("hint of "+stream, err)
	}
	var events []query.EventsRow
	for _, r := range rows {
		if r.Seq > 0 {
			events = append(events, query.EventsRow{Seq: r.Seq, ID: r.ID, Type: r.Type, V: r.V, At: r.At, Actor: r.Actor, Cause: r.Cause, PrevHash: r.PrevHash, Body: r.Body})
		}
	}
	news, err = eventsOf(stream, events)
	return rows[0].HintSeq, news, err
}

// Raise raises the hint of a stream.
func (s *Store) Raise(ctx context.Context, stream string) error {
	return s.writer.do(ctx, small{fields: fields{"op": "raise", "stream": stream}}, false)
}

// Rest ends a look: the stream is done up to h.Seq.
func (s *Store) Rest(ctx context.Context, h store.Hint) error {
	return s.writer.do(ctx, small{
		fields: fields{"op": "rest", "stream": h.Stream, "of": h.Project, "fence": h.Fence, "seen": h.Seq, "due_seq": h.DueSeq},
		refused: func(string) error {
			return fmt.Errorf("end of a look at %s: project %s no longer has fence %d: %w", h.Stream, h.Project, h.Fence, store.ErrFenced)
		},
	}, true)
}

// NextDue is the earliest time after a moment that any stream wants to be looked at.
func (s *Store) NextDue(ctx context.Context, after time.Time) (*time.Time, error) {
	due, err := s.q.NextDue(ctx, &after)
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, explain("next due time", err)
	}
	return inUTC(&due), nil
}
