package yard

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ErrNoRemote says that a person's repository has no remote of that name that can be used.
var ErrNoRemote = errors.New("no such remote")

// RemoteAddress is the address of a named remote of the repository that holds dir, as the person's own git understands it. A
// name and password in it are left out, and said: whoever keeps an address must not keep those. Errors: ErrNoRemote.
func RemoteAddress(ctx context.Context, dir, name string) (address string, stripped bool, err error) {
	if name == "" || strings.HasPrefix(name, "-") || strings.ContainsAny(name, "\x00\n") {
		return "", false, fmt.Errorf("%w: %q is not a name", ErrNoRemote, name)
	}
	g := personGit(dir)
	out, err := g.line(ctx, "remote", "get-url", "--all", name)
	switch {
	case exitCode(err) == 2 || stderrHas(err, "No such remote"):
		return "", false, fmt.Errorf("%w: %s", ErrNoRemote, name)
	case err != nil:
		return "", false, err
	case strings.Contains(out, "\n"):
		return "", false, fmt.Errorf("%w: %s has several addresses", ErrNoRemote, name)
	}
	if _, err := g.line(ctx, "config", "--get", "remote."+name+".pushurl"); err == nil {
		return "", false, fmt.Errorf("%w: %s has a different push address, so work would not go where it was fetched from", ErrNoRemote, name)
	} else if exitCode(err) != 1 {
		return "", false, err
	}
	r, err := parseRemote(out)
	if err != nil {
		return "", false, err
	}
	return r.address, r.credential.Secret != "", nil
}
