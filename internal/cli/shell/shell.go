package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/hook/relay"
)

// Shell is one invocation: the program and the flags every command has.
type Shell struct {
	Program
	GiveUp    context.CancelCauseFunc // ends the command with a reason
	StateFlag string
	JSON      bool

	storeFlag, objectsFlag string

	// Begin sets these.
	Session string // the interactive session that runs the command; "" if a person does
	Attempt string // the attempt that runs it
	Server  string // URL of the engine elsewhere that is meant; "" for the one here

	serverFlag, tokenFlag string
	verbose               bool
	typed                 typed
}

// Flags are those of every command.
func (sh *Shell) Flags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&sh.StateFlag, "state", "", "state folder `DIR` (default $STELLWERK_STATE, or $XDG_STATE_HOME/stellwerk)")
	f.StringVar(&sh.storeFlag, "store", "", "database `ADDRESS` that engines share, postgres://… (default $STELLWERK_STORE)")
	f.StringVar(&sh.objectsFlag, "objects", "", "with a store: keep files at s3://`BUCKET/PREFIX` (default $STELLWERK_OBJECTS, or the database)")
	f.StringVar(&sh.serverFlag, "server", "", "use the engine at `URL` (default $STELLWERK_SERVER)")
	f.StringVar(&sh.tokenFlag, "token-file", "", "`FILE` with the token for --server (or the token itself in $STELLWERK_TOKEN)")
	f.BoolVar(&sh.JSON, "json", false, "print JSON")
	f.BoolVarP(&sh.verbose, "verbose", "v", false, "log the engine's work to standard error")
}

// Options say which engine this invocation means.
func (sh *Shell) Options() (ConnectOptions, error) {
	state, err := config.StateFolder(sh.StateFlag, sh.Env)
	if err != nil {
		return ConnectOptions{}, err
	}
	store, err := config.Store(sh.storeFlag, sh.Env)
	if err != nil {
		return ConnectOptions{}, UsageError{Err: err}
	}
	objects, err := config.Objects(sh.objectsFlag, sh.Env)
	if err != nil {
		return ConnectOptions{}, UsageError{Err: err}
	}
	opts := ConnectOptions{State: state, Store: store, Objects: objects, Version: sh.Build.Version, Verbose: sh.verbose, Server: sh.Server}
	if sh.verbose {
		opts.Log = sh.Console.Err
	}
	// An engine that a shell starts which is kept from pushing could not publish:
	// the session's hooks start it instead.
	opts.Existing = strings.HasPrefix(sh.Env("PATH"), filepath.Join(relay.LockDir(state), "bin")+":")
	if sh.Server != "" {
		opts.Token, err = sh.token()
	}
	return opts, err
}

// Existing makes Connect fail if no engine runs already.
func Existing(opts *ConnectOptions) { opts.Existing = true }

// Anew lets Connect make the folder that --state names. It is for commands that have something to do in an empty one; of all
// others a misspelt name must not leave a new state folder behind.
func Anew(opts *ConnectOptions) { opts.Anew = true }

// missing refuses a state folder that --state names and that does not exist.
func (sh *Shell) missing(opts ConnectOptions) error {
	if opts.Anew || opts.Existing || sh.StateFlag == "" || opts.Server != "" {
		return nil
	}
	if _, err := os.Stat(opts.State); !errors.Is(err, fs.ErrNotExist) {
		return nil // what else is wrong with it is found when it is opened
	}
	return core.Errorf(core.CodeNotFound, "there is no state folder at %s", opts.State).WithHint("check --state; `stellwerk run` makes a state folder that does not exist")
}

// Connect calls fn with the engine and lets go of it afterwards. An engine in this
// process outlives an interrupt until fn has returned, so that it ends in order.
func (sh *Shell) Connect(ctx context.Context, fn func(api.Service) error, change ...func(*ConnectOptions)) error {
	if ctx.Err() != nil { // after a lost state folder, an engine would begin on an empty one
		return context.Cause(ctx)
	}
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	for _, c := range change {
		c(&opts)
	}
	if err := sh.missing(opts); err != nil {
		return err
	}
	opts.Lost = sh.GiveUp
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	connected := context.AfterFunc(ctx, end)
	svc, closeEngine, err := sh.Dial(life, opts)
	connected()
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	err = fn(svc)
	if notice := Notice(svc); notice != "" {
		sh.Warn([]string{notice})
	}
	return errors.Join(err, closeEngine())
}

// Notice is the engine's warning for all its users; "" if there is none.
func Notice(svc api.Service) string {
	if engine, ok := svc.(interface{ Notice() string }); ok {
		return engine.Notice()
	}
	return ""
}

// EnsureEngine makes sure that an engine runs in the background, as one elsewhere
// does.
func (sh *Shell) EnsureEngine(ctx context.Context, change ...func(*ConnectOptions)) error {
	opts, err := sh.Options()
	if err != nil || opts.Existing || opts.Server != "" {
		return err
	}
	for _, c := range change {
		c(&opts)
	}
	if err := sh.missing(opts); err != nil {
		return err
	}
	return sh.Detach(ctx, opts)
}

// EngineEnds reports that the engine ends with this or another command: then
// nobody else drives a run on.
func (sh *Shell) EngineEnds(svc api.Service) bool {
	engine, ok := svc.(interface{ Ends() bool })
	return ok && engine.Ends() && sh.Server == ""
}

// View is how answers look on this console.
func (sh *Shell) View() view.View {
	return view.View{Style: sh.Console.Style, Width: sh.Console.Width(), Zone: time.Local, Now: sh.Now(), Flags: sh.engineFlags()}
}

func (sh *Shell) Printf(format string, args ...any) {
	fmt.Fprintf(sh.Console.Out, format, args...)
}

// Warn prints notes to standard error.
func (sh *Shell) Warn(warnings []string) {
	for _, w := range warnings {
		sh.Tell(sh.Console.Style.Asking("note:")+" ", terminal.Line(w))
	}
}

// PrintText prints a line behind a prefix, wrapped on a screen.
func (sh *Shell) PrintText(prefix, line string) {
	sh.PrintLines(terminal.Hang(prefix, terminal.Line(line), sh.Console.Width()))
}

func (sh *Shell) PrintLines(lines []string) {
	for _, l := range lines {
		sh.Printf("%s\n", l)
	}
}

// Print answers a command: with v as JSON, or with lines.
func (sh *Shell) Print(v any, lines ...string) error {
	if sh.JSON {
		return sh.PrintJSON(v)
	}
	for _, l := range lines {
		sh.Printf("%s\n", l)
	}
	return nil
}

// PrintList is Print for a list; none says that it is empty.
func (sh *Shell) PrintList(v any, lines []string, none string) error {
	if len(lines) == 0 {
		lines = terminal.Wrap(none, sh.Console.Width())
	}
	return sh.Print(v, lines...)
}

// PrintJSON prints v; what could do harm on a screen is escaped within it.
func (sh *Shell) PrintJSON(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	return sh.writeJSON(data, err)
}

// PrintJSONLine prints v on one line.
func (sh *Shell) PrintJSONLine(v any) error {
	data, err := json.Marshal(v)
	return sh.writeJSON(data, err)
}

func (sh *Shell) writeJSON(data []byte, err error) error {
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, err = sh.Console.Out.Write(append(terminal.JSON(data), '\n'))
	return err
}

// Absolute is a path seen from the working directory.
func (sh *Shell) Absolute(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(sh.Dir, path)
}
