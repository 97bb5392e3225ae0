package postgres

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Export reads everything, of one snapshot of the database.
func (s *Store) Export(ctx context.Context) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		err := s.export(ctx, func(r store.Record) bool { return yield(r, nil) })
		if err != nil && !errors.Is(err, errEnough) {
			yield(store.Record{}, explain("read the whole store", err))
		}
	}
}

// errEnough means that whoever reads the store wants no more of it.
var errEnough = errors.New("enough was read")

func (s *Store) export(ctx context.Context, yield func(store.Record) bool) (err error) {
	ctx = pg.Patient(ctx, oneStatement)
	tx, err := s.pool.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tx.Rollback(context.WithoutCancel(ctx))) }()
	for _, t := range store.Tables() {
		if err := exportTable(ctx, tx, t, yield); err != nil {
			return err
		}
	}
	return nil
}

func exportTable(ctx context.Context, tx pgx.Tx, t *store.Table, yield func(store.Record) bool) error {
	rows, err := tx.Query(ctx, selection(t))
	if err != nil {
		return fmt.Errorf("%s: %w", t.Name, err)
	}
	defer rows.Close()
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
			return fmt.Errorf("%s: %w", t.Name, err)
		}
		for i, v := range values {
			values[i] = exported(v)
		}
		r := store.Record{Table: t, Values: values}
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
func exported(value any) any {
	switch v := value.(type) {
	case int32:
		return int64(v)
	case time.Time:
		return v.UTC()
	}
	return value
}

// selection reads a table in the order of its key.
func selection(t *store.Table) string {
	if t.Name == store.TableVersions {
		return "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM document_versions"
	}
	columns, order := make([]string, len(t.Columns)), make([]string, t.Key)
	for i, c := range t.Columns {
		columns[i] = c.Name
		switch t.Name + "." + c.Name {
		case "engines.lease_until":
			columns[i] = "greatest(lease_until, 'epoch')" // -infinity is no time
		case "tasks.result":
			columns[i] = "convert_to(result::text, 'UTF8')"
		}
	}
	for i := range order {
		order[i] = t.Columns[i].Name
	}
	from := t.Name
	if from == store.TableDocuments {
		from += " WHERE kind <> '" + store.SchemaKind + "'"
	}
	return "SELECT " + strings.Join(columns, ", ") + " FROM " + from + " ORDER BY " + strings.Join(order, ", ")
}
