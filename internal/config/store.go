package config

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The variables that say where engines keep everything if no flag does.
const (
	StoreVariable   = "STELLWERK_STORE"
	ObjectsVariable = "STELLWERK_OBJECTS"
)

// IsDatabase reports the address of a PostgreSQL database.
func IsDatabase(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// Store is the database that engines share, "" for the one that the state folder has or notes: the flag --store or STELLWERK_STORE.
// It refuses a flag with a password, which everybody on the machine could read in the list of processes.
func Store(flag string, env func(string) string) (address string, err error) {
	address = cmp.Or(flag, env(StoreVariable))
	if address == "" {
		return "", nil
	}
	if !IsDatabase(address) {
		return "", core.Errorf(core.CodeInvalid, "the store's address does not begin with postgres://").
			WithHint("write it as postgres://USER@HOST:PORT/DATABASE; leave it out to use a database in the state folder")
	}
	u, err := url.Parse(address)
	if err != nil { // which may show what may be a password
		return "", unreadableAddress("the store's address")
	}
	if flag != "" && hasPassword(u) {
		return "", shownPassword("--store")
	}
	return address, nil
}

func hasPassword(u *url.URL) bool {
	_, has := u.User.Password()
	return has || u.Query().Has("password")
}

func unreadableAddress(what string) error {
	return core.Errorf(core.CodeInvalid, "%s cannot be read", what).
		WithHint("write it as postgres://USER@HOST:PORT/DATABASE, with %%XX for special characters")
}

func shownPassword(flag string) error {
	return core.Errorf(core.CodeInvalid, "%s has a password, which every user of this machine can read in the list of processes", flag).
		WithHint("leave it out, and put it into ~/.pgpass, PGPASSWORD or " + StoreVariable)
}

// Objects is where the engines of a store keep their objects, "" for where the first of them did: the flag --objects or
// STELLWERK_OBJECTS.
func Objects(flag string, env func(string) string) (place string, err error) {
	return ObjectsPlace(cmp.Or(flag, env(ObjectsVariable)))
}

// ObjectsPlace refuses what is neither "" nor a place for objects.
func ObjectsPlace(place string) (string, error) {
	if place == "" || place == ObjectsInDatabase || strings.HasPrefix(place, "s3://") {
		return place, nil
	}
	return "", core.Errorf(core.CodeInvalid, "%s is no place for objects", place).
		WithHint("write it as s3://BUCKET/PREFIX, or %s for the database of the store", ObjectsInDatabase)
}

// ObjectsInDatabase is the place of objects that are kept in the database of the store.
const ObjectsInDatabase = "postgres"

// WithoutPassword is the address of a store that may be shown and kept.
func WithoutPassword(address string) string {
	u, err := url.Parse(address)
	if err != nil || !IsDatabase(address) {
		return address
	}
	if _, has := u.User.Password(); has {
		u.User = url.User(u.User.Username())
	}
	if q := u.Query(); q.Has("password") {
		q.Del("password")
		u.RawQuery = q.Encode()
	}
	return u.String()
}
