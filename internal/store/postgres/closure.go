package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// closed is the error of a write that the database refused because the store is closed.
var closed = core.Wrap(core.CodeConflict, store.ErrClosed, "the database is closed: it is being moved, or was",
	"end this engine, and start it with the store that has the content now")

// Closure says why nobody may work on the store.
func (s *Store) Closure(ctx context.Context) (c store.Closure, err error) {
	err = s.pool.QueryRow(ctx, "SELECT closed, other FROM ledger").Scan(&c.Reason, &c.Other)
	return c, explain("ask whether the store is closed", err)
}

// admit refuses whoever wants to work on a store that is closed.
func (s *Store) admit(ctx context.Context, o Options) error {
	if o.Closed {
		return nil
	}
	c, err := s.Closure(ctx)
	if err != nil {
		return err
	}
	return c.Refusal("the database")
}

// SetClosure closes the store or opens it again.
func (s *Store) SetClosure(ctx context.Context, was, now store.Closure) error {
	var answer []byte
	err := s.pool.QueryRow(ctx, "SELECT set_closure($1, $2, $3, $4, $5)", was.Reason, was.Other, now.Reason, now.Other, holding()).Scan(&answer)
	if err != nil || answer == nil {
		return explain("close or open the store", err)
	}
	var why struct {
		Code   string    `json:"code"`
		Engine string    `json:"engine"`
		Host   string    `json:"host"`
		Until  time.Time `json:"until"`
		Table  string    `json:"table"`
	}
	if err := json.Unmarshal(answer, &why); err != nil {
		return fmt.Errorf("read why the store is not closed: %w", err)
	}
	switch why.Code {
	case codeStale:
		return fmt.Errorf("whether the store is closed: %w", store.ErrStale)
	case codeAlive:
		return &store.EngineAlive{Engine: why.Engine, Host: why.Host, Until: why.Until.UTC()}
	case codeFilled:
		return fmt.Errorf("there are %s: %w", why.Table, store.ErrNotEmpty)
	}
	return core.Errorf(core.CodeInternal, "the store is not closed, with the unknown code %q", why.Code)
}

// holding are the tables whose rows are what a store holds.
func holding() (names []string) {
	for _, t := range store.Tables() {
		if t.Name != store.TableVersions {
			names = append(names, t.Name)
		}
	}
	return names
}
