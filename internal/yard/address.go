package yard

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Address is how a person names a repository: a folder on this machine, or a server's.
type Address struct {
	Path string // of a folder, absolute or relative
	URL  string // of anything else: https, http, ssh or user@host:path
}

// scpLike is user@host:path. Ssh would take a host or path that begins with a dash for an option.
var scpLike = regexp.MustCompile(`^([A-Za-z0-9_][A-Za-z0-9._-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*:[^-\s][^\s]*$`)

// ParseAddress reads the address of a repository as a person writes it. It refuses an address that would make git run a
// program or that would be read as an option, and one with a password or a token: addresses are shown, and are part of
// command lines.
func ParseAddress(text string) (Address, error) {
	beforeSlash, _, _ := strings.Cut(text, "/")
	switch {
	case text == "" || strings.HasPrefix(text, "-") || strings.ContainsFunc(text, unicode.IsControl):
		return Address{}, badAddress(text, "give a path or a URL")
	case strings.Contains(beforeSlash, "::"):
		return Address{}, badAddress(text, "Stellwerk uses no git remote helpers; give a path, or an https, http or ssh URL")
	case strings.Contains(text, "://"):
		return parseURL(text)
	case !strings.Contains(beforeSlash, ":"):
		return Address{Path: text}, nil
	case !scpLike.MatchString(text) || climbs(text[strings.Index(text, ":")+1:]):
		return Address{}, badAddress(text, "it is not host:path either")
	}
	return Address{URL: text}, nil
}

func parseURL(text string) (Address, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return Address{}, badAddress(text, "the URL cannot be read")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || u.Opaque != "" || strings.Contains(text, "#"):
		return Address{}, badAddress(text, "remove the query and the fragment from the URL")
	case climbs(u.Path) || strings.ContainsFunc(u.Path+u.Host, unicode.IsSpace) || strings.ContainsFunc(u.Path, unicode.IsControl):
		return Address{}, badAddress(text, "its path contains .., a space or a control character")
	}
	switch u.Scheme {
	case "file":
		if u.Host != "" && u.Host != "localhost" || u.User != nil || !filepath.IsAbs(u.Path) {
			return Address{}, badAddress(text, "a file URL names a folder of this machine: file:///path")
		}
		return Address{Path: filepath.Clean(u.Path)}, nil
	case "https", "http", "ssh":
		return remoteURL(text, u)
	}
	return Address{}, badAddress(text, "give a path, or an https, http or ssh URL")
}

func remoteURL(text string, u *url.URL) (Address, error) {
	_, password := u.User.Password()
	switch {
	case u.User != nil && (u.Scheme != "ssh" || password):
		return Address{}, badAddress(text, "it contains a credential, which Stellwerk would store and show; remove it from the URL")
	case u.Hostname() == "" || strings.HasPrefix(u.Host, "-") || strings.HasPrefix(u.User.Username(), "-") || strings.HasPrefix(strings.TrimLeft(u.Path, "/"), "-"):
		return Address{}, badAddress(text, "the URL names no server")
	case strings.Trim(u.Path, "/") == "":
		return Address{}, badAddress(text, "the URL names a server but no repository")
	}
	u.Host, u.Path, u.RawPath = strings.ToLower(u.Host), strings.TrimRight(u.Path, "/"), ""
	return Address{URL: u.String()}, nil
}

// climbs reports a path with "..".
func climbs(path string) bool { return slices.Contains(strings.Split(path, "/"), "..") }

func badAddress(text, why string) error {
	return fmt.Errorf("cannot use %.200q as the address of a repository: %s", redactURLs(text), why)
}

// RemoteHead is the branch that a remote's HEAD names, "" if it names none. Errors: ErrAuth, ErrUnreachable, ErrNoCommits.
func (y *Yard) RemoteHead(ctx context.Context, address string) (string, error) {
	refs, err := y.lsRemote(ctx, address, Credential{}, "HEAD", "--symref")
	if err == nil && len(refs) == 0 {
		err = fmt.Errorf("look at %s: %w", redactURLs(address), ErrNoCommits)
	}
	branch, found := strings.CutPrefix(commitOf(refs, "HEAD"), "ref: refs/heads/")
	if err != nil || !found {
		return "", err
	}
	return branch, nil
}

// PersonIdentity is the identity that the person's own git has in the repository that holds dir; "/" stands for no
// repository.
func PersonIdentity(ctx context.Context, dir string) (Identity, error) {
	return personGit(dir).identity(ctx)
}
