package yard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// remote is an address git may be given: an absolute path, a URL or host:path.
type remote struct {
	address    string
	local      string     // the folder, if the remote is one
	server     string     // the address of its server, if that is reached by http or https
	credential Credential // from the address as it was given
}

func parseRemote(address string) (remote, error) {
	beforeSlash, _, _ := strings.Cut(address, "/")
	switch {
	case address == "" || strings.HasPrefix(address, "-") || strings.ContainsAny(address, "\x00\n"):
		return remote{}, fmt.Errorf("%q is not an address of a git repository", redactURLs(address))
	case strings.HasPrefix(address, "file://"):
		return remote{address: address, local: strings.TrimPrefix(address, "file://")}, nil
	case filepath.IsAbs(address):
		return remote{address: address, local: address}, nil
	case strings.Contains(beforeSlash, "::") || !strings.Contains(beforeSlash, ":"):
		return remote{}, fmt.Errorf("%q is not an address of a git repository: give an absolute path, a URL or host:path", redactURLs(address))
	}
	bare, server, credential, err := takeCredential(address)
	return remote{address: bare, server: server, credential: credential}, err
}

// isWorkingCopy reports whether the remote is a folder in which a person works.
func (r remote) isWorkingCopy() bool {
	if filepath.Base(r.local) == ".git" {
		return true
	}
	_, err := os.Lstat(filepath.Join(r.local, ".git"))
	return err == nil
}

// serviceOption is the option that names the command git runs at the other end, if that is a folder on this machine. Settings of the
// near end do not reach it otherwise, and the folder's own must not start anything: no hook, no command that lists refs, no
// fetch of missing objects. Locate or the person's own clone has vouched for the folder's owner.
func (r remote) serviceOption(command string, settings ...string) []string {
	if r.local == "" {
		return nil
	}
	program := "GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1 git -c 'safe.directory=*' -c core.alternateRefsCommand=true"
	for _, setting := range append(quietConfig(), settings...) {
		program += " -c " + setting
	}
	return []string{"--" + command + "=" + program + " " + command}
}

// refusingHook is the hook of a local repository that may refuse a push, "" if there is none.
func (r remote) refusingHook(ctx context.Context) (string, error) {
	if !isFolder(r.local) || r.isWorkingCopy() {
		return "", nil
	}
	g := git{dir: r.local, env: append(ownEnv(), "GIT_DIR="+r.local)} // core.hooksPath may be relative to it
	for _, name := range []string{"pre-receive", "update", "proc-receive", "reference-transaction"} {
		hook, err := g.line(ctx, "rev-parse", "--path-format=absolute", "--git-path", "hooks/"+name)
		if stderrHas(err, "not a git repository") {
			return "", nil // the push itself says so
		}
		if err != nil {
			return "", err
		}
		if info, err := os.Stat(hook); err == nil && info.Mode()&0o111 != 0 {
			return name, nil
		}
	}
	return "", nil
}

// RemoteTip is the commit a remote's ref points at, "" if the remote has no such ref. Errors: ErrAuth, ErrUnreachable.
func (y *Yard) RemoteTip(ctx context.Context, address, ref string) (string, error) {
	return y.remoteTip(ctx, address, ref, Credential{})
}

func (y *Yard) remoteTip(ctx context.Context, address, ref string, as Credential) (string, error) {
	if err := checkRef(ref); err != nil {
		return "", err
	}
	refs, err := y.lsRemote(ctx, address, as, ref)
	return commitOf(refs, ref), err // git matches the end of names
}

// lsRemote asks a remote for its refs whose names end in name.
func (y *Yard) lsRemote(ctx context.Context, address string, as Credential, name string, options ...string) ([]Ref, error) {
	r, g, err := y.contact(ctx, address, as)
	if err != nil {
		return nil, err
	}
	args := slices.Concat([]string{"ls-remote", "--quiet"}, options, r.serviceOption("upload-pack"), []string{"--", r.address, name})
	out, err := g.run(ctx, args...)
	if err != nil {
		return nil, fmt.Errorf("look up %s at %s: %w", name, redactURLs(address), classifyRemote(err))
	}
	return parseRefs(out), nil
}

// classifyRemote adds the condition a caller decides by to a failure to talk to a remote.
func classifyRemote(err error) error {
	switch {
	case stderrHas(err, "Authentication failed", "could not read Username", "could not read Password", "terminal prompts disabled",
		"Permission denied (", "Host key verification failed", "returned error: 401", "returned error: 403", "Invalid username or password"):
		return errors.Join(ErrAuth, err)
	case stderrHas(err, "does not appear to be a git repository", "Repository not found", "' not found", "does not exist", "returned error: 404"):
		return errors.Join(ErrUnreachable, ErrNoRepository, err)
	case stderrHas(err, "Could not resolve host", "unable to access", "Could not read from remote repository", "Connection refused",
		"Connection timed out", "unable to connect", "RPC failed", "hung up unexpectedly", "early EOF", "Connection reset"):
		return errors.Join(ErrUnreachable, err)
	}
	return err
}
