package config

import (
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
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
	u, err := readAddress(address)
	if err != nil {
		return "", unreadableAddress("the store's address")
	}
	if flag != "" && hasPassword(u) {
		return "", shownPassword("--store")
	}
	return address, nil
}

// readAddress reads the address of a database as libpq does, for which the user's name and password go up to the first @ before the first
// slash, whatever is in them, and which knows no fragment. It refuses an address in which a password may be where nobody looks for one.
// The error may show it.
func readAddress(address string) (*url.URL, error) {
	scheme, rest, _ := strings.Cut(address, "://")
	authority, path, slash := strings.Cut(strings.ReplaceAll(rest, "#", "%23"), "/")
	if slash {
		path = "/" + path
	}
	if user, host, found := strings.Cut(authority, "@"); found {
		authority, path = strings.ReplaceAll(user, "?", "%3F")+"@", host+path
	}
	if strings.Contains(path, "@") {
		return nil, errors.New("an @ behind the host")
	}
	u, err := url.Parse(scheme + "://" + authority + path)
	if err == nil {
		_, err = url.ParseQuery(u.RawQuery)
	}
	return u, err
}

// secretSettings are what an address may say behind its question mark and nobody else may read.
var secretSettings = []string{"password", "sslpassword", "oauth_client_secret", "scram_client_key", "scram_server_key"}

func isSecret(setting string) bool { return slices.Contains(secretSettings, strings.ToLower(setting)) }

func hasPassword(u *url.URL) bool {
	_, has := u.User.Password()
	for setting := range u.Query() {
		has = has || isSecret(setting)
	}
	return has
}

// Passwords are those that the address of a store has.
func Passwords(address string) (all []string) {
	u, err := readAddress(address)
	if err != nil || !IsDatabase(address) {
		return nil
	}
	if password, has := u.User.Password(); has {
		all = append(all, password)
	}
	for setting, values := range u.Query() {
		if isSecret(setting) {
			all = append(all, values...)
		}
	}
	return slices.DeleteFunc(all, func(password string) bool { return password == "" })
}

func unreadableAddress(what string) error {
	return core.Errorf(core.CodeInvalid, "%s cannot be read", what).
		WithHint("write it as postgres://USER@HOST:PORT/DATABASE, with %%XX for special characters such as @ and / in a name or a password")
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
	if !IsDatabase(address) {
		return address
	}
	u, err := readAddress(address)
	if err != nil { // nobody can tell what of it is a password
		return "postgres://…"
	}
	if !hasPassword(u) {
		return address
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	q := u.Query()
	maps.DeleteFunc(q, func(setting string, _ []string) bool { return isSecret(setting) })
	u.RawQuery = q.Encode()
	return u.String()
}
