package yard

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Conditions a caller decides by.
var (
	ErrNotRepository = errors.New("not a git repository")
	ErrNoCommits     = errors.New("the repository has no commits yet")
	ErrNotFound      = errors.New("not found in the yard")
	ErrCorrupt       = errors.New("git rejected the objects")
	ErrPrerequisites = errors.New("the bundle builds on commits the yard does not have")
	ErrCheckedOut    = errors.New("the branch is checked out in the remote's work tree")
	ErrDeclined      = errors.New("the remote declined the push")
	ErrAuth          = errors.New("the remote did not accept the credentials")
	ErrUnreachable   = errors.New("the remote could not be reached")
	ErrNoRepository  = errors.New("the repository does not exist, or your credentials do not allow access to it")
	ErrUnrelated     = errors.New("the commits have no history in common")
	ErrPath          = errors.New("no file can be written at this path")
)

// CommandError is a git command that failed. Credentials in addresses are removed from it.
type CommandError struct {
	Args   []string
	Exit   int    // -1 when the command did not exit by itself
	Stderr string // the last 4 KB
	Broke  bool   // git itself crashed over what it read
	cause  error
}

func (e *CommandError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("git %s: %v", e.Args[0], e.cause)
	}
	return fmt.Sprintf("git %s: %v: %s", e.Args[0], e.cause, e.Stderr)
}

func (e *CommandError) Unwrap() error { return e.cause }

// MovedError says that a ref was at another commit than the caller expected. Empty means the ref does not exist.
type MovedError struct{ Ref, Want, Have string }

func (e *MovedError) Error() string {
	return fmt.Sprintf("%s is at %s, expected %s", e.Ref, orNothing(e.Have), orNothing(e.Want))
}

// LeaseError says that a remote's ref was at another commit than the approval named. Empty means the ref does not exist.
type LeaseError struct{ Ref, Want, Have string }

func (e *LeaseError) Error() string {
	return fmt.Sprintf("%s on the remote is at %s, expected %s; fetch and ask again", e.Ref, orNothing(e.Have), orNothing(e.Want))
}

// TooBigError says something is larger than its limit. Size is zero if it was not read to the end.
type TooBigError struct {
	What        string
	Unit        string // bytes, if empty
	Size, Limit int64
}

func (e *TooBigError) Error() string {
	unit := cmp.Or(e.Unit, "bytes")
	if e.Size == 0 {
		return fmt.Sprintf("%s is larger than the limit of %d %s", e.What, e.Limit, unit)
	}
	return fmt.Sprintf("%s has %d %s, the limit is %d", e.What, e.Size, unit, e.Limit)
}

func orNothing(commit string) string { return cmp.Or(commit, "nothing") }

// wrap puts what was being done in front of an error, if there is one. It is for defer.
func wrap(err *error, format string, args ...any) {
	if *err != nil {
		*err = fmt.Errorf(format+": %w", append(args, *err)...)
	}
}

// exitCode is the exit code of a git command that ran to its end, otherwise -1.
func exitCode(err error) int {
	if failure, ok := errors.AsType[*CommandError](err); ok {
		return failure.Exit
	}
	return -1
}

// broke reports whether a git command crashed.
func broke(err error) bool {
	failure, ok := errors.AsType[*CommandError](err)
	return ok && failure.Broke
}

// stderrHas reports whether a failed git command printed one of the phrases.
func stderrHas(err error, phrases ...string) bool {
	failure, ok := errors.AsType[*CommandError](err)
	return ok && slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(failure.Stderr, phrase) })
}

// outOfMemory reports a git command that needed more memory than it was given.
func outOfMemory(err error) bool { return stderrHas(err, "ut of memory", "Cannot allocate memory") }

var userinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s']*@`)

// redactURLs removes user names and passwords from the addresses in a text.
func redactURLs(text string) string { return userinfo.ReplaceAllString(text, "$1") }

func redactAll(args []string) []string {
	redacted := make([]string, len(args))
	for i, arg := range args {
		redacted[i] = redactURLs(arg)
	}
	return redacted
}
