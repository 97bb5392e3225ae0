package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
)

func absent(err error) bool { return errors.Is(err, pgx.ErrNoRows) }

// missing says what was not found, or what else went wrong.
func missing(what string, err error) error {
	if absent(err) {
		return fmt.Errorf("%s: %w", what, store.ErrNotFound)
	}
	return explain(what, err)
}

// most is a limit, nil for none.
func most(n int) *int64 {
	if n <= 0 {
		return nil
	}
	limit := int64(n)
	return &limit
}

// list turns rows into what the store's contract calls them.
func list[Row, T any](what string, rows []Row, err error, convert func(Row) T) ([]T, error) {
	if err != nil {
		return nil, explain(what, err)
	}
	all := make([]T, len(rows))
	for i, r := range rows {
		all[i] = convert(r)
	}
	return all, nil
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// Claims lists every claim that is held.
func (s *Store) Claims(ctx context.Context) ([]core.Claim, error) {
	rows, err := s.q.Claims(ctx)
	return list("claims", rows, err, func(r query.Claim) core.Claim {
		return core.Claim{Kind: core.ClaimKind(r.Kind), Key: r.Key, Holder: r.Holder, Limit: int(r.Capacity)}
	})
}

// Holders lists who holds a key.
func (s *Store) Holders(ctx context.Context, kind core.ClaimKind, key string) ([]string, error) {
	holders, err := s.q.Holders(ctx, query.HoldersParams{Kind: string(kind), Key: key})
	return holders, explain("holders of "+key, err)
}

// Recall finds a remembered verdict of a check.
func (s *Store) Recall(ctx context.Context, key string) ([]byte, error) {
	verdict, err := s.q.Recall(ctx, key)
	if err != nil {
		return nil, missing("verdict "+key, err)
	}
	return verdict, nil
}

// Remember keeps a verdict.
func (s *Store) Remember(ctx context.Context, key string, verdict []byte) error {
	return explain("remember a verdict", s.q.Remember(ctx, query.RememberParams{Key: key, Verdict: verdict}))
}

// Slots lists who holds slots and who waits for them.
func (s *Store) Slots(ctx context.Context, stream string) ([]store.SlotRow, error) {
	rows, err := s.q.Slots(ctx, stream)
	if err != nil {
		return nil, explain("slots", err)
	}
	var all []store.SlotRow
	for _, r := range rows {
		if len(all) == 0 || all[len(all)-1].Holder != r.Holder {
			all = append(all, store.SlotRow{Slots: core.Slots{Holder: r.Holder, Project: r.Project}, Stream: r.Stream, Since: r.Since.UTC(), Held: r.Held})
		}
		last := &all[len(all)-1]
		last.Pools = append(last.Pools, core.SlotPool{Key: r.Pool, Limit: int(r.Capacity)})
	}
	return all, nil
}

// PlaceInLine is where a holder stands among those that wait.
func (s *Store) PlaceInLine(ctx context.Context, holder string) (int, error) {
	line, err := s.q.InLine(ctx, holder)
	return 1 + slices.Index(line, holder), explain("place of "+holder, err)
}
