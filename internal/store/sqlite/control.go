package sqlite

import (
	"context"
	"database/sql"
	"errors"
)

// control holds the statements around a write, prepared once.
type control struct {
	begin, commit, rollback *sql.Stmt
	mark, unmark, undo      *sql.Stmt
	closure                 *sql.Stmt
}

func prepareControl(ctx context.Context, conn *sql.Conn) (c control, err error) {
	for _, s := range []struct {
		into **sql.Stmt
		text string
	}{
		{&c.begin, "BEGIN IMMEDIATE"},
		{&c.commit, "COMMIT"},
		{&c.rollback, "ROLLBACK"},
		{&c.mark, "SAVEPOINT one"},
		{&c.unmark, "RELEASE one"},
		{&c.undo, "ROLLBACK TO one"},
		{&c.closure, selectClosure},
	} {
		//nolint:sqlclosecheck // control keeps the statements; its close closes them
		if *s.into, err = conn.PrepareContext(ctx, s.text); err != nil {
			return c, errors.Join(err, c.close())
		}
	}
	return c, nil
}

func (c control) close() error {
	var all []error
	for _, s := range []*sql.Stmt{c.begin, c.commit, c.rollback, c.mark, c.unmark, c.undo, c.closure} {
		if s != nil {
			all = append(all, s.Close())
		}
	}
	return errors.Join(all...)
}

func run(ctx context.Context, s *sql.Stmt) error {
	_, err := s.ExecContext(ctx)
	return err
}
