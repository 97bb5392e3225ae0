package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// codeReader is the answer for a role that cannot be let read, or that could do more than that.
const codeReader = "SW011"

// AdmitReader lets a role of the server read the views of the database (migrations/00003_views.sql) and those that later migrations add,
// and refuses one that could do more. It returns the views.
func (s *Store) AdmitReader(ctx context.Context, role string) (views []string, err error) {
	err = s.pool.QueryRow(ctx, "SELECT admit_reader($1)", role).Scan(&views)
	if said, ok := errors.AsType[*pgconn.PgError](err); ok && said.Code == codeReader {
		return nil, core.Wrap(core.CodeInvalid, nil, said.Message, said.Hint)
	}
	return views, explain("let "+role+" read", err)
}
