package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Import fills a store that is being filled, from the beginning.
func (s *Store) Import(ctx context.Context, records iter.Seq2[store.Record, error]) error {
	begun := false
	return s.explain(s.writer.commitClosed(ctx, func(_ context.Context, tx *txn) error {
		if tx.closure.Reason != store.Filling || begun {
			return core.Errorf(core.CodeInternal, "the store is not to be filled: %+v", tx.closure)
		}
		begun = true
		return s.fill(ctx, records)
	}))
}

// fill replaces the rows of all tables. A statement under way is not interrupted when ctx ends: what follows is not begun.
func (s *Store) fill(ctx context.Context, records iter.Seq2[store.Record, error]) (err error) {
	for _, t := range store.Tables() {
		if t.Name == store.TableHeads {
			continue
		}
		if _, err := s.writer.conn.ExecContext(context.WithoutCancel(ctx), "DELETE FROM "+rowsOf(t)); err != nil {
			return fmt.Errorf("empty %s: %w", t.Name, err)
		}
	}
	in := filler{conn: s.writer.conn}
	defer func() { err = errors.Join(err, in.close()) }()
	for r, err := range records {
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		if r.Table.Name == store.TableHeads { // follows from the events
			continue
		}
		if err := in.put(context.WithoutCancel(ctx), r); err != nil {
			return fmt.Errorf("fill %s: %w", r.Table.Name, err)
		}
	}
	return nil
}

// filler inserts rows, of one table after the other.
type filler struct {
	conn   *sql.Conn
	table  *store.Table
	insert *sql.Stmt // into table
}

func (f *filler) put(ctx context.Context, r store.Record) (err error) {
	if err := r.Fits(); err != nil {
		return err
	}
	if r.Table != f.table {
		if err := f.close(); err != nil {
			return err
		}
		if f.insert, err = f.conn.PrepareContext(ctx, insertion(r.Table)); err != nil {
			return err
		}
		f.table = r.Table
	}
	values := make([]any, len(r.Values))
	for i, v := range r.Values {
		values[i] = imported(v)
	}
	_, err = f.insert.ExecContext(ctx, values...)
	return err
}

func (f *filler) close() error {
	if f.insert == nil {
		return nil
	}
	insert := f.insert
	f.insert = nil
	return insert.Close()
}

// imported is a value as it is kept here.
func imported(value any) any {
	switch v := value.(type) {
	case time.Time:
		return micros(v)
	case bool:
		return flag(v)
	}
	return value
}

func insertion(t *store.Table) string {
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = columnOf(t, c)
	}
	return "INSERT INTO " + t.Name + " (" + strings.Join(columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(columns)-1) + ")"
}
