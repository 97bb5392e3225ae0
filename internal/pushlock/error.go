package pushlock

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// ErrNotRepository says that a lock cannot be installed because git finds no repository.
var ErrNotRepository = errors.New("not a git repository")

// gitError is a call of git that failed.
type gitError struct {
	args  []string
	cause error
}

func (e *gitError) Error() string {
	message := ""
	var exit *exec.ExitError
	if errors.As(e.cause, &exit) {
		message = ": " + strings.TrimSpace(string(exit.Stderr))
	}
	return fmt.Sprintf("git %s: %v%s", strings.Join(e.args, " "), e.cause, message)
}

func (e *gitError) Unwrap() error { return e.cause }

// exitCode returns the code git ended with.
func exitCode(err error) (int, bool) {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return 0, false
	}
	return exit.ExitCode(), true
}
