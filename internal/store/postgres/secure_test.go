package postgres

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
)

// written is a file that only its owner reads.
func written(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestAServerThatIsParticular about who connects, by TLS and with a password that a file has: what users of libpq write works, and
// what does not work is said, without a password.
func TestAServerThatIsParticular(t *testing.T) {
	server := pgtest.NewSecure(t)
	for _, name := range []string{"PGPASSWORD", "PGPASSFILE", "PGSERVICE", "PGSERVICEFILE", "PGSSLMODE", "PGSSLROOTCERT", "PGHOST", "PGPORT", "PGUSER", "PGDATABASE"} {
		t.Setenv(name, "")
	}
	address := func(host string, settings url.Values) string {
		u := url.URL{Scheme: "postgres", User: url.User(server.User), Host: host + ":" + server.Port, Path: server.Database, RawQuery: settings.Encode()}
		return u.String()
	}
	full := url.Values{"sslmode": {"verify-full"}, "sslrootcert": {server.CA}}
	secure := address(pgtest.SecureHost, full)
	const wrong = "wr0ng-s3cret"
	pgpass := written(t, fmt.Sprintf("elsewhere:*:*:*:%s\n%s:%s:%s:%s:%s\n127.0.0.1:*:*:*:%[6]s\n", wrong, pgtest.SecureHost, server.Port, server.Database, server.User, server.Password))
	badpass := written(t, "*:*:*:*:"+wrong+"\n")
	service := written(t, fmt.Sprintf("[other]\nhost=127.0.0.1\nport=1\n\n[team]\nhost=%s\nport=%s\ndbname=%s\nuser=%s\nsslmode=verify-full\nsslrootcert=%s\n",
		pgtest.SecureHost, server.Port, server.Database, server.User, server.CA))
	for name, c := range map[string]struct {
		address    string
		env        map[string]string
		says, hint string // "" if it works
		away       bool
	}{
		"password in the environment": {secure, map[string]string{"PGPASSWORD": server.Password}, "", "", false},
		"password file":               {secure, map[string]string{"PGPASSFILE": pgpass}, "", "", false},
		"service file":                {"postgres:///?service=team", map[string]string{"PGPASSFILE": pgpass, "PGSERVICEFILE": service}, "", "", false},
		"service by its name":         {"postgres://", map[string]string{"PGPASSFILE": pgpass, "PGSERVICEFILE": service, "PGSERVICE": "team"}, "", "", false},
		"authority by a variable": {
			address(pgtest.SecureHost, url.Values{"sslmode": {"verify-full"}}), map[string]string{"PGPASSFILE": pgpass, "PGSSLROOTCERT": server.CA}, "", "", false,
		},
		"another name, not looked at": {
			address("127.0.0.1", url.Values{"sslmode": {"verify-ca"}, "sslrootcert": {server.CA}}), map[string]string{"PGPASSFILE": pgpass}, "", "", false,
		},
		"another name": {address("127.0.0.1", full), map[string]string{"PGPASSFILE": pgpass}, "not trusted", "for another name", false},
		"another authority": {
			address(pgtest.SecureHost, url.Values{"sslmode": {"verify-full"}, "sslrootcert": {server.OtherCA}}), map[string]string{"PGPASSFILE": pgpass}, "not trusted", "sslrootcert=FILE", false,
		},
		"no authority": {address(pgtest.SecureHost, url.Values{"sslmode": {"verify-full"}}), map[string]string{"PGPASSFILE": pgpass}, "not trusted", "sslrootcert=FILE", false},
		"no such authority": {
			address(pgtest.SecureHost, url.Values{"sslmode": {"verify-full"}, "sslrootcert": {server.CA + "x"}}), map[string]string{"PGPASSFILE": pgpass}, "cannot be read", "postgres://", false,
		},
		"no TLS":            {address(pgtest.SecureHost, url.Values{"sslmode": {"disable"}}), map[string]string{"PGPASSFILE": pgpass}, "does not let this user in", "hostssl", false},
		"a wrong password":  {secure, map[string]string{"PGPASSWORD": wrong}, "refuses the user or its password", "PGPASSFILE", false},
		"one in a file":     {secure, map[string]string{"PGPASSFILE": badpass}, "refuses the user or its password", "PGPASSFILE", false},
		"one in an address": {strings.Replace(secure, server.User+"@", server.User+":"+wrong+"@", 1), nil, "refuses the user or its password", "PGPASSFILE", false},
		"no such service":   {"postgres:///?service=none", map[string]string{"PGSERVICEFILE": service, "PGPASSWORD": wrong}, "cannot be read", "postgres://", false},
		"a server without TLS": {
			strings.Replace(pgtest.Database(t), "sslmode=disable", "sslmode=require", 1), map[string]string{"PGPASSWORD": wrong}, "cannot be reached", "lets this machine in", true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			for k, v := range c.env {
				t.Setenv(k, v)
			}
			s, err := Open(t.Context(), c.address, Options{})
			if c.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				var by, user string
				if err := s.pool.QueryRow(t.Context(), "SELECT coalesce(version, ''), current_user::text FROM pg_stat_ssl WHERE pid = pg_backend_pid()").Scan(&by, &user); err != nil || !strings.HasPrefix(by, "TLS") || user != server.User {
					t.Errorf("%s connected with %q: %v", user, by, err)
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil {
				_ = s.Close()
				t.Fatal("it is used")
			}
			hint := core.AdviceOf(err).Hint
			all := fmt.Sprintf("%v %+v %s", err, err, hint)
			if !strings.Contains(err.Error(), c.says) || !strings.Contains(hint, c.hint) || errors.Is(err, core.ErrAway) != c.away {
				t.Errorf("%v (%s), away: %t", err, hint, errors.Is(err, core.ErrAway))
			}
			for _, secret := range []string{server.Password, wrong} {
				if strings.Contains(all, secret) {
					t.Errorf("the password is in %s", all)
				}
			}
		})
	}
}
