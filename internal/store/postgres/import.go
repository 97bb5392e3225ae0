package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// oneStatement is for how long a statement about a whole table may say nothing: counting, sorting and writing down a large one takes
// long, and so does whoever reads it meanwhile.
const oneStatement = time.Hour

// Import fills a store that is being filled, from the beginning.
func (s *Store) Import(ctx context.Context, records iter.Seq2[store.Record, error]) (err error) {
	ctx = pg.Patient(ctx, oneStatement)
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		return explain("fill the store", err)
	}
	defer func() {
		if err == nil {
			return
		}
		_ = tx.Rollback(context.WithoutCancel(ctx)) // the server rolls back whatever was not committed
		if ended := ctx.Err(); ended != nil {
			err = fmt.Errorf("fill the store: %w", ended) // the connection was closed because of that
		}
	}()
	if err := empty(ctx, tx); err != nil {
		return explain("empty the store", err)
	}
	from := newFeed(records)
	defer from.stop()
	for _, t := range store.Tables() {
		if err := importTable(ctx, tx, t, from); err != nil {
			return explain("fill "+t.Name, err)
		}
	}
	if err := from.end(); err != nil {
		return err
	}
	// Whoever queues next comes after everybody.
	if _, err := tx.Exec(ctx, "SELECT setval(pg_get_serial_sequence('slots', 'seq'), coalesce(max(seq), 1), max(seq) IS NOT NULL) FROM slots"); err != nil {
		return explain("set the place in the queue", err)
	}
	if _, err := tx.Exec(ctx, "ANALYZE "+strings.Join(holding(), ", ")); err != nil {
		return explain("count what the tables hold", err)
	}
	return explain("fill the store", tx.Commit(ctx))
}

// empty removes what an earlier try may have left.
func empty(ctx context.Context, tx pgx.Tx) error {
	var c store.Closure
	if err := tx.QueryRow(ctx, "SELECT closed, other FROM ledger FOR UPDATE").Scan(&c.Reason, &c.Other); err != nil {
		return err
	}
	if c.Reason != store.Filling {
		return core.Errorf(core.CodeInternal, "the store is not to be filled: %+v", c)
	}
	if _, err := tx.Exec(ctx, "SELECT set_config('stellwerk.importing', 'on', true)"); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, "DELETE FROM documents WHERE kind <> $1", store.SchemaKind); err != nil {
		return err
	}
	others := slices.DeleteFunc(holding(), func(table string) bool { return table == store.TableDocuments })
	_, err := tx.Exec(ctx, "TRUNCATE "+strings.Join(others, ", "))
	return err
}

func importTable(ctx context.Context, tx pgx.Tx, t *store.Table, from *feed) error {
	from.table = t
	if t.Name == store.TableVersions {
		for from.Next() {
			if _, err := tx.Exec(ctx, "SELECT setval('document_versions', greatest($1::bigint, 1), $1::bigint > 0)", from.record.Values[0]); err != nil {
				return err
			}
		}
		return from.Err()
	}
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = c.Name
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{t.Name}, columns, from)
	if from.err != nil {
		return from.err // the server knows only that there was one
	}
	return err
}

// feed hands the records of one table after the other to the database. It implements pgx.CopyFromSource.
type feed struct {
	next   func() (store.Record, error, bool)
	stop   func()
	table  *store.Table // whose records are handed over
	record store.Record // the newest that was read
	unused bool         // it was not handed over
	err    error
}

func newFeed(records iter.Seq2[store.Record, error]) *feed {
	f := &feed{}
	f.next, f.stop = iter.Pull2(records)
	return f
}

// Next reports whether the table has another record.
func (f *feed) Next() bool {
	if !f.unused && f.err == nil {
		var more bool
		if f.record, f.err, more = f.next(); !more {
			return false
		}
		if f.err == nil {
			f.err = f.record.Fits()
		}
		f.unused = f.err == nil
	}
	if f.err != nil || !f.unused || f.record.Table != f.table {
		return false
	}
	f.unused = false
	return true
}

// Values are those of the record.
func (f *feed) Values() ([]any, error) { return f.record.Values, nil }

// Err is why there was no other record.
func (f *feed) Err() error { return f.err }

// end refuses records that came in the wrong order.
func (f *feed) end() error {
	f.table = nil
	if f.Next(); f.err != nil || f.unused {
		return errors.Join(f.err, fmt.Errorf("a record of %s came too late", f.record.Table.Name))
	}
	return nil
}
