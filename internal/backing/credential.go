package backing

import (
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// What opens a database and a bucket.
var (
	databaseCredentials = []string{"PGPASSWORD", "PGPASSFILE", "PGSERVICEFILE"}
	bucketCredentials   = []string{"AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_SHARED_CREDENTIALS_FILE"}
)

// Reserved reports a variable that opens the store or its objects, and so is the engine's alone: no attempt gets it.
func (b Backing) Reserved(variable string) bool {
	return b.database && slices.Contains(databaseCredentials, variable) || b.bucket && slices.Contains(bucketCredentials, variable)
}

// Secrets are the engine's credentials for its store and objects, to be removed from everything that it keeps or shows.
func (p Place) Secrets(getenv func(string) string) []redact.Secret {
	var all []redact.Secret
	for _, name := range []string{"PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"} {
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
