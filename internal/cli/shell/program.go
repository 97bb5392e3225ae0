// Package shell is what all commands share: the program they run in, its console
// and flags, connecting to an engine, finding the run that is meant, printing,
// prompting and completion. It knows no command.
package shell

import (
	"context"
	"io"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
)

// Program is the command line and everything it stands on. The functions are
// given by the wiring; those a test does not need may be nil.
type Program struct {
	Build   Build
	Console terminal.Console
	Env     func(string) string
	Dir     func() (string, error) // the working directory
	Now     func() time.Time

	// Connect returns the engine of a state folder: the one that runs already,
	// or one in this process that ends with the returned function.
	Dial func(ctx context.Context, opts ConnectOptions) (api.Service, func() error, error)
	// Tools returns the engine as an attempt sees it that holds a token: its tools
	// and nothing else.
	Tools func(ctx context.Context, socket, token string) (api.Tools, func() error, error)
	// Serve is the engine itself, until ctx ends.
	Serve func(ctx context.Context, opts ConnectOptions) error
	// Detach starts an engine in the background, unless one runs, and waits for
	// its socket.
	Detach func(ctx context.Context, opts ConnectOptions) error
	// Stop has the engine of a state folder end, waits until it has, and returns
	// what it said of itself; a PID of 0 where none ran.
	Stop func(ctx context.Context, opts ConnectOptions) (api.Info, error)
	// Restore puts a backup in the place of a state folder that no engine holds.
	Restore func(ctx context.Context, opts RestoreOptions) error

	// Worker runs beside an agent, Salvage saves what a lost one left, and
	// HandIn bundles its work inside the sandbox.
	Worker  func(ctx context.Context, folder string) error
	Salvage func(ctx context.Context, folder string) error
	HandIn  func(ctx context.Context, yard, request string) error
	// Await stands in the place of an agent that a session runs, AttemptShell
	// runs a line of shell for it, and LookShell for the session itself, within
	// the limits of its run.
	Await        func(ctx context.Context, folder string) error
	AttemptShell func(folder, line string) (code int, err error)
	LookShell    func(limits, root, dir, line string) (code int, err error)
	// ScriptedAgent and ScriptedModel play a scenario file.
	ScriptedAgent func(ctx context.Context, scenario string) int
	ScriptedModel func(ctx context.Context, scenario, address, record string, out io.Writer) error

	// Isolation is the strongest isolation this machine offers; the reason says
	// why it is none, or what it lacks.
	Isolation func(ctx context.Context) (kind, reason string)
	// Remedy says what makes isolation possible here, where it is none.
	Remedy func() string
	// Walls tries the walls around agents with a process in a sandbox.
	Walls func(ctx context.Context) ([]wall.Trial, error)
	// Bounds tries what holds attempts to their share of this machine, and says
	// what stands in the way where memory or processes are only watched.
	Bounds func(sandboxed bool) (found, advice string, err error)
	// Credentials names the variables of which one gives the default agent its
	// credential.
	Credentials func() []string
	// Proxies names the variables whose password agents and checks do not get.
	Proxies func() []string
	// SQLite is the version of the database library.
	SQLite func(ctx context.Context) (string, error)
	// Database looks whether the database of a state folder can be opened, and
	// changes nothing; fs.ErrNotExist where there is none.
	Database func(ctx context.Context, state string) error

	// Interruptible returns a context that ends with the first interrupt; the
	// second ends the process.
	Interruptible func(ctx context.Context) (context.Context, context.CancelFunc)
}

// ConnectOptions say which engine is meant.
type ConnectOptions struct {
	State   string // absolute
	Version string
	Log     io.Writer // of an engine in this process; nil for nowhere
	Verbose bool
	// LogFormat and LogLevel are how an engine that serves logs, and the least of
	// it; "" for text, and for what is worth knowing.
	LogFormat, LogLevel string

	Webhook string // of an engine that serves: where it hears webhooks
	Metrics string // of an engine that serves: where it shows its metrics
	// MetricsPublic lets Metrics be an address that other machines reach.
	MetricsPublic bool
	Network       *network.Config // of an engine that serves: where others reach it; nil for nowhere
	// Server, where set, is the URL of an engine elsewhere, and Token the
	// credential for it. Nothing else counts then.
	Server, Token string
	// Existing asks for an engine that runs already; where none does, connecting
	// fails with CodeUnavailable and api.ErrNoEngine, and changes nothing.
	Existing bool
	// Lost, if set, is told once that the state folder was deleted or replaced
	// under an engine of this process.
	Lost func(error)
}

// RestoreOptions say what is restored where.
type RestoreOptions struct {
	State  string // absolute
	Backup string // absolute
}
