package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Export reads everything, of one snapshot of the database.
func (s *Store) Export(ctx context.Context) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		err := s.export(ctx, func(r store.Record) bool { return yield(r, nil) })
		if err != nil && !errors.Is(err, errEnough) {
			yield(store.Record{}, s.explain(err))
		}
	}
}

// errEnough means that whoever reads the store wants no more of it.
var errEnough = errors.New("enough was read")

func (s *Store) export(ctx context.Context, yield func(store.Record) bool) (err error) {
	tx, err := s.readers.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() {
		if end := tx.Rollback(); !errors.Is(end, sql.ErrTxDone) { // which the end of ctx brings about
			err = errors.Join(err, end)
		}
	}()
	for _, t := range store.Tables() {
		if err := exportTable(ctx, tx, t, yield); err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return nil
}

func exportTable(ctx context.Context, tx *sql.Tx, t *store.Table, yield func(store.Record) bool) (err error) {
	rows, err := tx.QueryContext(ctx, selection(t))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	into := make([]any, len(t.Columns))
	for rows.Next() {
		r := store.Record{Table: t, Values: make([]any, len(t.Columns))}
		for i := range into {
			into[i] = &r.Values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return err
		}
		for i, c := range t.Columns {
			r.Values[i] = exported(c, r.Values[i])
		}
		if err := r.Fits(); err != nil {
			return err
		}
		if !yield(r) {
			return errEnough
		}
	}
	return rows.Err()
}

// exported is a value as all stores have it.
func exported(c store.Column, value any) any {
	switch v := value.(type) {
	case string:
		return store.Clean(v)
	case int64:
		switch c.Kind {
		case store.Moment:
			return fromMicros(v)
		case store.Flag:
			return v != 0
		default:
			return v
		}
	case []byte:
		return append([]byte{}, v...) // the driver returns nil for none
	}
	return value
}

// columnOf is what a column of a table is called here.
func columnOf(t *store.Table, c store.Column) string {
	switch t.Name + "." + c.Name {
	case "events.position":
		return "rowid" // see selectPosition
	case "tasks.task":
		return "id"
	case "tasks.triggered_by":
		return "triggered_by_task_id"
	}
	return c.Name
}

// rowsOf is where the rows of a table are.
func rowsOf(t *store.Table) string {
	if t.Name == store.TableDocuments {
		return t.Name + " WHERE kind <> '" + store.SchemaKind + "'"
	}
	return t.Name
}

// selection reads a table in the order of its key.
func selection(t *store.Table) string {
	if t.Name == store.TableHeads {
		return "SELECT stream, max(seq), rowid, hash, at FROM events GROUP BY stream ORDER BY stream" // all of the newest event
	}
	columns := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		columns[i] = columnOf(t, c)
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + rowsOf(t) + " ORDER BY " + strings.Join(columns[:t.Key], ", ")
}
