package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

const secret = "s3cret"

// TestStore: a password may be in a variable, which only its owner reads, and in no argument; no error shows it.
func TestStore(t *testing.T) {
	for name, c := range map[string]struct {
		flag, variable string
		want, says     string
	}{
		"nothing":              {},
		"a flag":               {flag: "postgres://ada@db/stellwerk", want: "postgres://ada@db/stellwerk"},
		"a variable":           {variable: "postgresql://ada:s3cret@db/stellwerk", want: "postgresql://ada:s3cret@db/stellwerk"},
		"a flag says more":     {flag: "postgres://one/a", variable: "postgres://two/b", want: "postgres://one/a"},
		"a service":            {flag: "postgres:///?service=team", want: "postgres:///?service=team"},
		"a password":           {flag: "postgres://ada:s3cret@db/stellwerk", says: "list of processes"},
		"an empty password":    {flag: "postgres://ada:@db/stellwerk", says: "list of processes"},
		"a password behind ?":  {flag: "postgres://db/stellwerk?user=ada&password=s3cret", says: "list of processes"},
		"of a key file":        {flag: "postgres://db/stellwerk?sslkey=k&sslpassword=s3cret", says: "list of processes"},
		"spelled otherwise":    {flag: "postgres://db/stellwerk?pass%77ord=s3cret", says: "list of processes"},
		"of an OAuth client":   {flag: "postgres://db/stellwerk?oauth_client_secret=s3cret", says: "list of processes"},
		"with a number sign":   {flag: "postgres://ada:123#s3cret@db/stellwerk", says: "list of processes"},
		"with a question mark": {flag: "postgres://ada:123?s3cret@db/stellwerk", says: "list of processes"},
		"with a slash":         {flag: "postgres://ada:123/s3cret@db/stellwerk", says: "cannot be read"},
		"with both":            {flag: "postgres://ada:123/4?a=s3cret@db/stellwerk", says: "cannot be read"},
		"with an @":            {flag: "postgres://ada:123@s3cret@db/stellwerk", says: "cannot be read"},
		"behind a semicolon":   {flag: "postgres://db/stellwerk?a=b;password=s3cret", says: "cannot be read"},
		"a variable with #":    {variable: "postgres://ada:123#s3cret@db/stellwerk", want: "postgres://ada:123#s3cret@db/stellwerk"},
		"a variable with /":    {variable: "postgres://ada:123/s3cret@db/stellwerk", says: "cannot be read"},
		"no password at all":   {flag: "postgres://db/stellwerk?user=ada%40db", want: "postgres://db/stellwerk?user=ada%40db"},
		"a file":               {flag: "/var/lib/stellwerk.db", says: "does not begin with postgres://"},
		"another database":     {variable: "mysql://ada:s3cret@db/x", says: "does not begin with postgres://"},
		"what cannot be read":  {flag: "postgres://ada:s3cret%zz@db/x", says: "cannot be read"},
		"a port that is none":  {variable: "postgres://ada:s3cret@db:port/x", says: "cannot be read"},
		"words, as psql takes": {flag: "host=db user=ada password=s3cret", says: "does not begin with postgres://"},
	} {
		got, err := config.Store(c.flag, func(variable string) string {
			if variable != config.StoreVariable {
				t.Errorf("%s: %s is asked for", name, variable)
			}
			return c.variable
		})
		switch {
		case c.says == "" && (err != nil || got != c.want):
			t.Errorf("%s: %q, %v", name, got, err)
		case c.says == "":
		case core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), c.says) || wording.Hint(err) == "":
			t.Errorf("%s: %v", name, err)
		case strings.Contains(err.Error()+wording.Hint(err), secret):
			t.Errorf("%s: the password is shown: %v", name, err)
		}
	}
}

func TestObjects(t *testing.T) {
	for place, want := range map[string]bool{"": true, "postgres": true, "s3://bucket/prefix": true, "/srv/objects": false, "bucket": false} {
		got, err := config.Objects("", func(string) string { return place })
		if (err == nil) != want || want && got != place || !want && wording.Hint(err) == "" {
			t.Errorf("%q: %q, %v", place, got, err)
		}
	}
}

func TestWithoutPassword(t *testing.T) {
	for address, want := range map[string]string{
		"postgres://ada:s3cret@db:5432/stellwerk?sslmode=require": "postgres://ada@db:5432/stellwerk?sslmode=require",
		"postgres://db/stellwerk?user=ada&password=s3cret":        "postgres://db/stellwerk?user=ada",
		"postgres://ada:123#s3cret@db/stellwerk":                  "postgres://ada@db/stellwerk",
		"postgres://ada:123?s3cret@db/stellwerk":                  "postgres://ada@db/stellwerk",
		"postgres://ada:123/s3cret@db/stellwerk":                  "postgres://…",
		"postgres://ada:123@s3cret@db/stellwerk":                  "postgres://…",
		"postgres://ada:s3cret%zz@db/stellwerk":                   "postgres://…",
		"postgres://db/x?sslkey=k&sslpassword=s3cret":             "postgres://db/x?sslkey=k",
		"postgres://db/x?user=ada&password=12#s3cret":             "postgres://db/x?user=ada",
		"postgres://db/x?a=b;password=s3cret":                     "postgres://…",
		"postgres://ada@db/stellwerk":                             "postgres://ada@db/stellwerk",
		"/srv/store.db":                                           "/srv/store.db",
	} {
		if got := config.WithoutPassword(address); got != want {
			t.Errorf("%s becomes %s", address, got)
		}
	}
}

func TestPasswords(t *testing.T) {
	for address, want := range map[string][]string{
		"postgres://ada:123#s3cret@db/x":                       {"123#s3cret"},
		"postgres://ada:s3cret@db/x?sslpassword=another%20one": {"s3cret", "another one"},
		"postgres://ada:@db/x":                                 nil,
		"postgres://ada@db/x":                                  nil,
		"/srv/store.db":                                        nil,
	} {
		if got := config.Passwords(address); !slices.Equal(got, want) {
			t.Errorf("%s has %q", address, got)
		}
	}
}
