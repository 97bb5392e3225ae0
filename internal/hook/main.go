package hook

import (
	"fmt"
	"io"
	"runtime/debug"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// The exit codes of the program. Claude Code takes 2 as a refusal whose reason
// is on standard error, and any other than 0 as one where the plugin says
// onFailure: block, which older versions do not know. With 0 and half an answer
// the tool would run.
const (
	exitAnswered  = 0
	exitUnwritten = 1
	// ExitUndecided is a refusal whose reason is on standard error.
	ExitUndecided = 2
)

// deadline stays below the time after which the client ends a hook.
const deadline = 3 * time.Second

// maxMemory is the size at which garbage collection begins.
const maxMemory = 256 << 20

// Deadline is how long the program may take for one decision.
func Deadline(env func(string) string) time.Duration {
	if d, err := time.ParseDuration(env("STELLWERK_HOOK_DEADLINE")); err == nil && d > 0 {
		return min(d, deadline)
	}
	return deadline
}

// Main is the program for PreToolUse: one event in, one answer out.
func Main(stdin io.Reader, stdout, stderr io.Writer, env func(string) string) int {
	began := time.Now()
	// It ends before a collection would pay.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(maxMemory)
	state, err := snapshot.State(env)
	if err != nil {
		return undecided(stderr, err)
	}
	data, err := ReadBytes(stdin)
	if err != nil {
		return undecided(stderr, err)
	}
	return Respond(state, data, stdout, stderr, began)
}

// Respond is Main for an event that has been read already.
func Respond(state string, data []byte, stdout, stderr io.Writer, began time.Time) int {
	a, entry, err := PreToolUse(state, data)
	if err != nil {
		return undecided(stderr, err)
	}
	if err := a.Write(stdout); err != nil {
		if entry.Session == "" && a.Specific == nil {
			fmt.Fprintln(stderr, "stellwerk:", err)
			return exitUnwritten // nothing was to be said
		}
		return undecided(stderr, err)
	}
	if err := entry.Note(state, began, time.Now()); err != nil {
		fmt.Fprintln(stderr, "stellwerk:", err) // the decision stands without a note of it
	}
	return exitAnswered
}

func undecided(stderr io.Writer, err error) int {
	fmt.Fprintf(stderr, "Stellwerk could not decide on this call and refused it: %v\n", err)
	return ExitUndecided
}
