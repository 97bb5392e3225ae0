// Package sandbox turns a command into the same command run in isolation: the strongest kind this machine offers, or
// `none` if the caller asks for that. It decides what a process can see and write, and nothing else: it starts no agent,
// knows no attempt, and keeps no state. A process sees only what its Spec names, so a forgotten path causes a failed start
// and never a leak. The network is open or closed: in a closed one, a process reaches itself by loopback and the machine by
// the one socket that its Spec names.
package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/stellwerk-dev/stellwerk/internal/program"
)

// Kind names a way to isolate a process.
type Kind string

// The kinds of isolation.
const (
	// Sandbox hides the file system and the other processes: bubblewrap on Linux, Seatbelt on macOS.
	Sandbox Kind = "sandbox"
	// None runs the process as it is. Nothing of a Spec but Argv is enforced.
	None Kind = "none"
)

// Errors a caller may decide by.
var (
	// ErrUnavailable means this machine cannot provide the kind that was asked for.
	ErrUnavailable = errors.New("isolation is not available")
	// ErrNotVisible means the program exists, but the isolation does not show it.
	ErrNotVisible = errors.New("not visible inside the isolation")
	// ErrNoProgram means there is no such program on the PATH the process would have.
	ErrNoProgram = program.ErrMissing
)

// Spec is a command and what it may touch. All paths are absolute and keep their names inside. If paths nest, the deeper one
// wins; a path may be in one list only.
type Spec struct {
	Argv []string
	Dir  string
	// Env is the complete environment of the process. In a sandbox of bubblewrap's the launch passes it on; otherwise the
	// caller sets exec.Cmd.Env.
	Env []string
	// ReadOnly and Writable must exist. A directory is shown with everything below it.
	ReadOnly, Writable []string
	// Masked directories appear empty. They hide what lies below a path that is shown.
	Masked []string
	// Private is what Private found a short while ago. If it is nil, Command searches.
	Private []string
	// Bubblewrap is what FindBubblewrap found. If it is another by now, or none, Command asks again.
	Bubblewrap Bubblewrap
	// Tmp is an empty folder to serve as /tmp. Without it /tmp is kept in memory. A folder that a process could write
	// must not be given a second time.
	Tmp string
	// MemoryFiles is how many bytes each folder that is kept in memory can hold. Zero leaves that to the system, which
	// allows half of the machine's memory.
	MemoryFiles int64
	// Brief marks a command that ends by itself and may outlive the process that starts it; all others die with that process.
	// A bubblewrap that dies while it sets up the sandbox leaves a process behind that waits for it for ever, so a trial that
	// anybody may interrupt is brief.
	Brief bool
	// First makes Argv the first process of a sandbox on Linux. It gets the processes whose parents have ended, and what bubblewrap
	// would do for it is left to it: to reap them, if there can be many.
	First bool
	// Inside is a command of the system's that stands before Argv in a sandbox on Linux.
	Inside  []string
	Network Network
}

// Network is what a process sees of the machine's network. The zero value leaves it open.
type Network struct {
	// Closed gives the process a network of its own, with a loopback interface and nothing else. macOS has no such thing:
	// there the process may connect to Port of this machine and to nothing else.
	Closed bool
	Port   int
	// Socket is a unix socket of this machine. A closed Linux sandbox shows it as SocketPath.
	Socket string
	// Starter is a program and its arguments, to which the command is added: it is the first process inside, reaps what others
	// leave, starts the command, and makes Socket reachable for programs that only know addresses and ports.
	Starter []string
}

// SocketPath is where a closed sandbox shows Network.Socket.
const SocketPath = "/run/stellwerk.sock"

// Command prepares the launch of spec under kind.
func Command(kind Kind, spec Spec) (Launch, error) { return commandOn(runtime.GOOS, kind, spec) }

func commandOn(goos string, kind Kind, spec Spec) (Launch, error) {
	if len(spec.Argv) == 0 {
		return Launch{}, errors.New("sandbox: no program to run")
	}
	switch kind {
	case None:
		return Launch{Argv: spec.Argv}, nil
	case Sandbox:
	default:
		return Launch{}, fmt.Errorf("%w: kind %q is unknown; use %q or %q", ErrUnavailable, kind, Sandbox, None)
	}
	plan, err := newPlan(systemPaths(goos), spec)
	if err != nil {
		return Launch{}, err
	}
	if spec.Private == nil {
		spec.Private = Private()
	}
	if err := plan.hide(spec.Private, spec); err != nil {
		return Launch{}, err
	}
	if err := plan.findProgram(spec); err != nil {
		return Launch{}, err
	}
	switch goos {
	case "linux":
		return bubblewrap(plan, spec)
	case "darwin":
		return seatbelt(plan, spec), nil
	default:
		return Launch{}, fmt.Errorf("%w: there is none for %s", ErrUnavailable, goos)
	}
}

func absolute(paths ...string) error {
	for _, p := range paths {
		if !filepath.IsAbs(p) || filepath.Clean(p) != p {
			return fmt.Errorf("sandbox: path %q is not absolute and clean", p)
		}
	}
	return nil
}
