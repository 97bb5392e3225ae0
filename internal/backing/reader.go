package backing

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
)

// Admitted is what a role may read.
type Admitted struct {
	Store string
	Views []string
}

// AdmitReader lets a role of a database's server read its views, and nothing else.
func (p Place) AdmitReader(ctx context.Context, role string) (a Admitted, err error) {
	if !config.IsDatabase(p.Store) {
		return a, core.Errorf(core.CodeUnsupported, "the store is a file, which has no roles").
			WithHint("whoever may read the file may read all of it; name a PostgreSQL database")
	}
	db, err := postgres.Open(ctx, p.Store, postgres.Options{Closed: true, AsIs: true})
	if err != nil {
		return a, err
	}
	a.Store = nameOf(p.Store)
	a.Views, err = db.AdmitReader(ctx, role)
	return a, errors.Join(err, db.Close())
}
