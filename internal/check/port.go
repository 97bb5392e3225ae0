package check

import (
	"context"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Tree reads the commits of one repository; a *yard.Yard is one. Commits are full object names the engine has fetched and
// verified. Calls may be concurrent and depend on their arguments only.
type Tree interface {
	// Changed lists every path that differs between two commits, renames detected.
	Changed(ctx context.Context, base, head string) ([]yard.Change, error)
	// Files lists every entry of a commit's tree, folders left out.
	Files(ctx context.Context, commit string) ([]yard.File, error)
	// Log lists the commits reachable from head and not from base, newest first.
	Log(ctx context.Context, base, head string) ([]yard.Commit, error)
	// Resolved says what is wrong with a commit that claims to merge two others; nothing if it does.
	Resolved(ctx context.Context, into, from, result string) ([]string, error)
}

// Artifacts reads what attempts handed in, by digest.
type Artifacts interface {
	Open(ctx context.Context, digest string) (io.ReadCloser, error)
}

// Runner runs a command in a clean checkout of the delivery under check, set up once and isolated as the attempt was. A
// command that fails, cannot be found or is ended at its time limit is a Result; an error means that there is no checkout or
// no isolation.
type Runner interface {
	Run(ctx context.Context, c Command) (Result, error)
}

// Command is one shell command of a check.
type Command struct {
	Shell     string        // for sh -c
	Timeout   time.Duration // never zero
	OutputCap int64         // bytes kept of the combined output
}

// Result is how a command ended.
type Result struct {
	ExitCode int
	Output   string // at least the last 4 KiB of the combined output
	Digest   string // of the full output; empty if it was not kept
	TimedOut bool
	Limit    string // of the machine's resources that it ran into; empty if none
	// Refused are the hosts, with their ports, that a closed network did not let it reach.
	Refused []string
}

// Passed reports that the command succeeded within its limits.
func (r Result) Passed() bool { return r.ExitCode == 0 && !r.TimedOut && r.Limit == "" }

// Memory holds verdicts by key. Recall's answer is used as it is, so a key must name everything a verdict depends on;
// see Key.
type Memory interface {
	Recall(ctx context.Context, key string) (core.CheckResult, bool, error)
	Remember(ctx context.Context, key string, result core.CheckResult) error
}

// local reports a path inside the project that is not part of git's own data.
func local(path string) bool {
	return !strings.ContainsRune(path, 0) && !slices.ContainsFunc(strings.Split(path, "/"), func(segment string) bool {
		return segment == "" || segment == "." || segment == ".." || strings.EqualFold(segment, ".git")
	})
}
