package rest

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/regex"
)

// Repository names a repository on a forge.
type Repository struct{ Owner, Name string }

func (r Repository) String() string { return r.Owner + "/" + r.Name }

// ErrRepository says that the repository's name on the forge is unknown.
var ErrRepository = errors.New("the repository's name on the forge is unknown")

// A repeated class would cost every start of the program half a millisecond.
var (
	segment = regex.Of(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$`)
	scpLike = regex.Of(`^(?:[^@/:]+@)?(\[[0-9A-Fa-f:]+\]|[^/:@\[\]]+):(.+)$`)
)

// Named reads "owner/name".
func Named(text string) (Repository, error) {
	owner, name, _ := strings.Cut(text, "/")
	r := Repository{Owner: owner, Name: strings.TrimSuffix(name, ".git")}
	if !segment().MatchString(r.Owner) || !segment().MatchString(r.Name) {
		return Repository{}, fmt.Errorf("%w: %q is not of the form owner/name", ErrRepository, text)
	}
	return r, nil
}

// At reads the repository from a remote's address, which must be on host: a pull
// request must not land in a repository of the same name elsewhere.
func At(remote, host string) (Repository, error) {
	where, path := split(remote)
	if where == "" {
		return Repository{}, fmt.Errorf("%w: the remote's address names no host; give the repository as owner/name", ErrRepository)
	}
	if !strings.EqualFold(where, host) {
		return Repository{}, fmt.Errorf("%w: the remote is on %q and the forge is %q; give the repository as owner/name if that is right", ErrRepository, where, host)
	}
	parts := strings.Split(strings.Trim(path, "/"), "/")
	if len(parts) < 2 {
		return Repository{}, fmt.Errorf("%w: the remote's path does not end in owner/name", ErrRepository)
	}
	return Named(strings.Join(parts[len(parts)-2:], "/"))
}

// split reads a URL or git's short form host:path. It drops credentials, so no
// failure contains them.
func split(remote string) (host, path string) {
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		if err != nil {
			return "", ""
		}
		return u.Hostname(), u.Path
	}
	if m := scpLike().FindStringSubmatch(remote); m != nil {
		return strings.Trim(m[1], "[]"), m[2]
	}
	return "", ""
}
