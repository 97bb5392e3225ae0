package yard

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
)

// Credential opens a remote that is reached by http or https. Only the environment of the one git process that needs it has
// it: no command line, no configuration file and no error does.
type Credential struct {
	User   string // most forges ignore it if Secret is a token; if empty, a name that all of them accept
	Secret string
}

// Credentials finds the credential for the address of a remote, the zero value if there is none. It is asked before every
// contact, so a secret that was renewed is used at once.
type Credentials func(ctx context.Context, address string) (Credential, error)

// String keeps the secret out of messages.
func (c Credential) String() string {
	if c.Secret == "" {
		return "no credential"
	}
	return "a credential"
}

// GoString keeps the secret out of messages too.
func (c Credential) GoString() string { return c.String() }

func (c Credential) check() error {
	if strings.ContainsAny(c.User+c.Secret, "\x00\r\n") || strings.Contains(c.User, ":") {
		return fmt.Errorf("%w: the credential contains a character that is not allowed, such as a line break", ErrAuth)
	}
	return nil
}

// basic is the credential as http sends it.
func (c Credential) basic() string {
	return base64.StdEncoding.EncodeToString([]byte(cmp.Or(c.User, "x-access-token") + ":" + c.Secret))
}

// apply lets git use the credential for one server. Git then follows no redirects: it would send the credential to the
// server they lead to.
func (c Credential) apply(g git, server string) git {
	basic := c.basic()
	g.secrets = []string{basic, url.QueryEscape(c.Secret), c.Secret}
	return g.withConfig("http.followRedirects=false").with(
		"GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=http."+server+".extraHeader",
		"GIT_CONFIG_VALUE_0=Authorization: Basic "+basic,
	)
}

// takeCredential moves a name and password out of an http address, since an address is part of git's command line.
func takeCredential(address string) (bare, server string, c Credential, err error) {
	if !strings.HasPrefix(address, "http://") && !strings.HasPrefix(address, "https://") {
		return address, "", Credential{}, nil
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "", "", Credential{}, fmt.Errorf("%q is not an address of a git repository", redactURLs(address))
	}
	if u.User != nil {
		c.User = u.User.Username()
		c.Secret, _ = u.User.Password()
		u.User = nil
	}
	return u.String(), (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String(), c, nil
}

// WithoutCredential removes the credential from the address of a repository. The name of an ssh account is part of the
// address and stays.
func WithoutCredential(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return redactURLs(address)
	case u.User == nil:
		return address
	case u.Scheme == "ssh":
		u.User = url.User(u.User.Username())
	default:
		u.User = nil
	}
	return u.String()
}

// contact prepares git for talking to a remote. given outranks what the yard's own source has, and that outranks the address.
func (y *Yard) contact(ctx context.Context, address string, given Credential) (remote, git, error) {
	r, err := parseRemote(address)
	g := y.git()
	if err != nil || r.server == "" {
		return r, g, err
	}
	c := given
	if c.Secret == "" && y.Credentials != nil {
		if c, err = y.Credentials(ctx, r.address); err != nil {
			return r, g, fmt.Errorf("%w: find the credential for %s: %w", ErrAuth, r.server, err)
		}
	}
	if c.Secret == "" {
		c = r.credential
	}
	if c.Secret == "" {
		return r, g, nil
	}
	return r, c.apply(g, r.server), c.check()
}
