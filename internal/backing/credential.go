package backing

import (
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// What opens a database and a bucket: the variables that libpq and those that users of S3 know, by the beginning of their names.
var (
	databaseVariables = []string{
		"PGHOST", "PGPORT", "PGDATABASE", "PGUSER", "PGPASS", "PGSERVICE", "PGSYSCONFDIR", "PGSSL", "PGGSS", "PGKRB", "PGOAUTH", "PGOPTIONS",
		"PGREQUIRE", "PGCHANNELBINDING", "PGTARGETSESSIONATTRS", "PGAPPNAME", "PGCONNECT", "PGLOADBALANCEHOSTS", "PGMINPROTOCOL", "PGMAXPROTOCOL",
	}
	bucketVariables = []string{"AWS_"}
)

// Reserved reports a variable that opens the store or its objects, or says where they are, and so is the engine's alone: no attempt gets
// it.
func (b Backing) Reserved(variable string) bool {
	begins := func(prefix string) bool { return strings.HasPrefix(variable, prefix) }
	return variable == config.StoreVariable || variable == config.ObjectsVariable ||
		b.database && slices.ContainsFunc(databaseVariables, begins) || b.bucket && slices.ContainsFunc(bucketVariables, begins)
}

// Secrets are the engine's credentials for its store and objects, to be removed from everything that it keeps or shows.
func (p Place) Secrets(getenv func(string) string) []redact.Secret {
	var all []redact.Secret
	for _, name := range []string{"PGPASSWORD", "PGSSLPASSWORD", "PGOAUTHCLIENTSECRET", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_CONTAINER_AUTHORIZATION_TOKEN"} {
		if value := getenv(name); value != "" {
			all = append(all, redact.Secret{Name: name, Value: value})
		}
	}
	if !config.IsDatabase(p.Store) {
		return all
	}
	passwords := config.Passwords(p.Store)
	if parsed, err := pgconn.ParseConfig(p.Store); err == nil && parsed.Password != "" && !slices.Contains(passwords, parsed.Password) {
		passwords = append(passwords, parsed.Password) // of a password file or a service
	}
	for _, password := range passwords {
		all = append(all, redact.Secret{Name: "the store's password", Value: password})
	}
	return all
}
