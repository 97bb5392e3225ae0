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

// Program is everything outside of the commands. The wiring sets the functions;
// those that a test does not need may be nil.
type Program struct {
	Build   Build
	Console terminal.Console
	Env     func(string) string
	Dir     string // the working directory
	Now     func() time.Time

	// Dial returns the engine of a state folder: the one that runs already,
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
	// Stop ends the engine of a state folder, waits until it is gone, and returns
	// what it said of itself; a PID of 0 if none ran.
	Stop func(ctx context.Context, opts ConnectOptions) (api.Info, error)
	// Drain has the engine of a state folder give its work to others. It returns what
	// the engine says to that, a PID of 0 if none ran, and what waits until it is gone.
	Drain func(ctx context.Context, opts ConnectOptions, req api.Drain) (api.Drained, func(context.Context) error, error)

	// Isolation is the strongest isolation this machine offers; the reason says
	// why it is none, or what it lacks.
	Isolation func(ctx context.Context) (kind, reason string)
	// Remedy says what would make isolation possible here.
	Remedy func() string
	// Walls tries the walls around agents with a process in a sandbox.
	Walls func(ctx context.Context) ([]wall.Trial, error)
	// Bounds tries which limits of an attempt the kernel enforces here, and advises
	// if memory or processes are only watched.
	Bounds func(sandboxed bool) (found, advice string, err error)
	// Credentials names the variables of which one must hold the default agent's
	// credential.
	Credentials func() []string
	// Proxies names the variables whose password agents and checks do not get.
	Proxies func() []string
	// SQLite is the version of the database library.
	SQLite func(ctx context.Context) (string, error)
	// Database tries to open the database of a state folder and changes nothing;
	// fs.ErrNotExist if there is none.
	Database func(ctx context.Context, state string) error

	// Interruptible returns a context that ends with the first interrupt; the
	// second ends the process.
	Interruptible func(ctx context.Context) (context.Context, context.CancelFunc)
}

// ConnectOptions say which engine is meant.
type ConnectOptions struct {
	State string // absolute
	// Store is the address of a database that engines share, and Objects where they keep their objects; "" for what the state
	// folder notes.
	Store, Objects string
	Anew           bool // a folder that --state names need not exist
	Version        string
	Log            io.Writer // of an engine in this process; nil for nowhere
	Verbose        bool
	// LogFormat and LogLevel are those of an engine that serves; "" for text and
	// info.
	LogFormat, LogLevel string

	Webhook string // of an engine that serves: address for webhooks
	Metrics string // of an engine that serves: address for metrics
	// MetricsPublic lets Metrics be an address that other machines reach.
	MetricsPublic bool
	Network       *network.Config // of an engine that serves: how others reach it; nil for not at all
	URL           string          // of an engine that serves: where attempts reach it or another of its store; "" for its own socket
	// Server, if set, is the URL of an engine elsewhere, and Token the credential
	// for it. Then nothing else counts.
	Server, Token string
	// Existing asks for an engine that runs already; if none does, connecting fails
	// with CodeUnavailable and api.ErrNoEngine, and changes nothing.
	Existing bool
	// Lost, if set, is called once if the state folder is deleted or replaced under
	// an engine of this process.
	Lost func(error)
}
