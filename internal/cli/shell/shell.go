package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Shell is one invocation: the program and the flags every command has.
type Shell struct {
	Program
	GiveUp    context.CancelCauseFunc // ends the command with the reason why it cannot go on
	StateFlag string
	JSON      bool
	remote    remoteFlags
	verbose   bool
	typed     typed
}

// Flags are those of every command.
func (sh *Shell) Flags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&sh.StateFlag, "state", "", "state folder `DIR` (default $STELLWERK_STATE, or $XDG_STATE_HOME/stellwerk)")
	f.StringVar(&sh.remote.server, "server", "", "use the engine at `URL` (default $STELLWERK_SERVER)")
	f.StringVar(&sh.remote.tokenFile, "token-file", "", "`FILE` with the token for --server (or the token itself in $STELLWERK_TOKEN)")
	f.BoolVar(&sh.JSON, "json", false, "print JSON")
	f.BoolVarP(&sh.verbose, "verbose", "v", false, "log the engine's work to standard error")
}

// Options say which engine this invocation means.
func (sh *Shell) Options() (ConnectOptions, error) {
	state, err := config.StateFolder(sh.StateFlag, sh.Env)
	if err != nil {
		return ConnectOptions{}, err
	}
	opts := ConnectOptions{State: state, Version: sh.Build.Version, Verbose: sh.verbose}
	if sh.verbose {
		opts.Log = sh.Console.Err
	}
	opts.Existing = sh.pushLocked(state)
	return opts, nil
}

// Connect calls fn with the engine and lets go of it afterwards. An engine in
// this process outlives an interrupt until fn has returned, so that it ends in
// order.
func (sh *Shell) Connect(ctx context.Context, fn func(api.Service) error) error {
	opts, err := sh.Options()
	if err != nil {
		return err
	}
	return sh.ConnectTo(ctx, opts, fn)
}

func (sh *Shell) ConnectTo(ctx context.Context, opts ConnectOptions, fn func(api.Service) error) error {
	if ctx.Err() != nil { // after a lost state folder, an engine would begin on an empty one
		return context.Cause(ctx)
	}
	if err := sh.dialElsewhere(&opts); err != nil {
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
	return errors.Join(fn(svc), closeEngine())
}

// EnsureEngine makes sure that an engine runs in the background. One elsewhere does.
func (sh *Shell) EnsureEngine(ctx context.Context) error {
	if sh.IsElsewhere() {
		return nil
	}
	opts, err := sh.Options()
	if err != nil || opts.Existing {
		return err
	}
	return sh.Detach(ctx, opts)
}

// EngineEnds reports that the engine ends with this process, or with another command
// that ends: nobody else drives a run on.
func (sh *Shell) EngineEnds(svc api.Service) bool {
	engine, ok := svc.(interface{ Ends() bool })
	return ok && engine.Ends() && !sh.IsElsewhere()
}

// ForPeople refuses what only a person may say where an attempt says it. The
// engine would refuse it too, for want of the person's token.
func (sh *Shell) ForPeople(what string) error {
	if attempt := sh.Env("STELLWERK_ATTEMPT"); attempt != "" {
		return core.Errorf(core.CodeForbidden, "%s is for people only, and this is attempt %s", what, attempt).
			WithHint("finish the work and hand it in; Stellwerk asks a person when it needs one")
	}
	return nil
}

func (sh *Shell) View() view.View {
	return view.View{Style: sh.Console.Style, Width: sh.Console.Width(), Zone: time.Local, Now: sh.Now(), Flags: sh.engineFlags()}
}

func (sh *Shell) Printf(format string, args ...any) {
	fmt.Fprintf(sh.Console.Out, format, args...)
}

// Warn tells of what nothing was refused for.
func (sh *Shell) Warn(warnings []string) {
	for _, w := range warnings {
		sh.Tell(sh.Console.Style.Asking("note:")+" ", terminal.Line(w))
	}
}

// PrintText prints a line behind a prefix, wrapped where that is a screen.
func (sh *Shell) PrintText(prefix, line string) {
	sh.PrintLines(terminal.Hang(prefix, terminal.Line(line), sh.Console.Width()))
}

func (sh *Shell) PrintLines(lines []string) {
	for _, l := range lines {
		sh.Printf("%s\n", l)
	}
}

// PrintJSON prints v; what could do harm on a screen is escaped within it.
func (sh *Shell) PrintJSON(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, err = sh.Console.Out.Write(append(terminal.JSON(data), '\n'))
	return err
}

// PrintJSONLine prints v on one line.
func (sh *Shell) PrintJSONLine(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, err = sh.Console.Out.Write(append(terminal.JSON(data), '\n'))
	return err
}

// Absolute is a path seen from the working directory.
func (sh *Shell) Absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	dir, err := sh.Dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, path), nil
}
