package backing

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/truth"
)

// whole is a store with its objects as a pair to check or move: open also if nobody may work on it, and with nothing settled by opening it.
type whole struct {
	truth.Pair
	store   store.Store // the pair's
	objects string      // where they are
}

// use says what a whole store is opened for.
type use int

const (
	toRead use = iota // as it is: its schema is not brought up to date
	toLeave
	toFill
)

// whole opens a store and its objects. The caller closes the store.
func (p Place) whole(ctx context.Context, state statefolder.Folder, u use) (whole, error) {
	if !config.IsDatabase(p.Store) {
		return p.wholeFile(ctx, state, u)
	}
	db, err := postgres.Open(ctx, p.Store, postgres.Options{Closed: true, AsIs: u == toRead})
	if err != nil {
		return whole{}, err
	}
	w := whole{Pair: truth.Pair{Name: nameOf(p.Store), Store: db}, store: db, objects: cmp.Or(p.Objects, config.ObjectsInDatabase)}
	if u != toFill {
		err = w.agree(ctx, p, state)
	}
	if err == nil {
		spool := state
		if _, missing := os.Stat(state.Dir); missing != nil {
			spool.Dir = os.TempDir()
		}
		var b Backing
		err = openObjects(ctx, spool, db, w.objects, &b)
		w.Objects = b.Objects
	}
	if err != nil {
		return whole{}, errors.Join(err, db.Close())
	}
	return w, nil
}

// agree refuses a store or objects that are not those that the state folder notes and the store names.
func (w *whole) agree(ctx context.Context, p Place, state statefolder.Folder) error {
	id, err := known(ctx, w.store, documentID)
	if err == nil {
		err = p.same(state, id)
	}
	if err != nil {
		return err
	}
	where, err := known(ctx, w.store, documentObjects)
	if err != nil || where == "" {
		return err
	}
	w.objects = where
	return p.agreeOnObjects(where)
}

func (p Place) wholeFile(ctx context.Context, state statefolder.Folder, u use) (whole, error) {
	path := cmp.Or(p.Store, state.Database())
	if _, err := os.Stat(path); err != nil && u != toFill {
		return whole{}, core.Wrap(core.CodeNotFound, err, "there is no store in "+state.Dir+" yet", "check the state folder, or name a store").
			Offer(core.Choice{Verb: core.VerbStateFolder})
	}
	objects := state.Objects()
	if filepath.IsAbs(p.Objects) {
		objects = p.Objects
	}
	db, err := sqlite.Open(ctx, path, sqlite.Options{Closed: true, AsIs: u == toRead})
	if err != nil {
		return whole{}, err
	}
	w := whole{Pair: truth.Pair{Name: path, Store: db}, store: db, objects: objects}
	if w.Objects, err = folder.Open(objects); err != nil {
		return whole{}, errors.Join(err, db.Close())
	}
	return w, nil
}

// nameOf is what a database is called wherever it is spoken of, however its address is written. It never has a password.
func nameOf(address string) string {
	c, err := pgconn.ParseConfig(address)
	if err != nil {
		return config.WithoutPassword(address)
	}
	u := url.URL{Scheme: "postgres", Path: "/" + c.Database}
	port := strconv.Itoa(int(c.Port))
	if strings.HasPrefix(c.Host, "/") { // a socket
		u.RawQuery = url.Values{"host": {c.Host}, "port": {port}}.Encode()
	} else {
		u.Host = net.JoinHostPort(c.Host, port)
	}
	return u.String()
}
