package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// shell is one invocation: the program and the flags every command has.
type shell struct {
	Program
	giveUp    context.CancelCauseFunc // ends the command with the reason why it cannot go on
	stateFlag string
	remote    remoteFlags
	json      bool
	verbose   bool
	typed     typed
}

// options say which engine this invocation means.
func (sh *shell) options() (ConnectOptions, error) {
	state, err := config.StateFolder(sh.stateFlag, sh.Env)
	if err != nil {
		return ConnectOptions{}, err
	}
	opts := ConnectOptions{State: state, Version: sh.Build.Version, Verbose: sh.verbose}
	if sh.verbose {
		opts.Log = sh.Console.Err
	}
	opts.Existing = sh.locked(state)
	return opts, nil
}

// connect calls fn with the engine and lets go of it afterwards. An engine in
// this process outlives an interrupt until fn has returned, so that it ends in
// order.
func (sh *shell) connect(ctx context.Context, fn func(api.Service) error) error {
	opts, err := sh.options()
	if err != nil {
		return err
	}
	return sh.connectTo(ctx, opts, fn)
}

func (sh *shell) connectTo(ctx context.Context, opts ConnectOptions, fn func(api.Service) error) error {
	if ctx.Err() != nil { // after a lost state folder, an engine would begin on an empty one
		return context.Cause(ctx)
	}
	if err := sh.elsewhere(&opts); err != nil {
		return err
	}
	opts.Lost = sh.giveUp
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	connected := context.AfterFunc(ctx, end)
	svc, closeEngine, err := sh.Connect(life, opts)
	connected()
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return err
	}
	return errors.Join(fn(svc), closeEngine())
}

// detached makes sure that an engine runs in the background. One elsewhere does.
func (sh *shell) detached(ctx context.Context) error {
	if sh.isElsewhere() {
		return nil
	}
	opts, err := sh.options()
	if err != nil || opts.Existing {
		return err
	}
	return sh.Detach(ctx, opts)
}

// ours reports that the engine ends with this process, or with another command
// that ends: nobody else drives a run on.
func (sh *shell) ours(svc api.Service) bool {
	engine, ok := svc.(interface{ Ends() bool })
	return ok && engine.Ends() && !sh.isElsewhere()
}

// personal refuses what only a person may say where an attempt says it. The
// engine would refuse it too, for want of the person's token.
func (sh *shell) personal(what string) error {
	if attempt := sh.Env("STELLWERK_ATTEMPT"); attempt != "" {
		return core.Errorf(core.CodeForbidden, "%s is for people only, and this is attempt %s", what, attempt).
			WithHint("finish the work and hand it in; Stellwerk asks a person when it needs one")
	}
	return nil
}

func (sh *shell) view() view.View {
	return view.View{Style: sh.Console.Style, Width: sh.Console.Width(), Zone: time.Local, Now: sh.Now(), Flags: sh.leading()}
}

func (sh *shell) printf(format string, args ...any) {
	fmt.Fprintf(sh.Console.Out, format, args...)
}

// warn tells of what nothing was refused for.
func (sh *shell) warn(warnings []string) {
	for _, w := range warnings {
		sh.tell(sh.Console.Style.Asking("note:")+" ", terminal.Line(w))
	}
}

// printText prints a line behind a prefix, wrapped where that is a screen.
func (sh *shell) printText(prefix, line string) {
	sh.printLines(terminal.Hang(prefix, terminal.Line(line), sh.Console.Width()))
}

func (sh *shell) printLines(lines []string) {
	for _, l := range lines {
		sh.printf("%s\n", l)
	}
}

// printJSON prints v; what could do harm on a screen is escaped within it.
func (sh *shell) printJSON(v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, err = sh.Console.Out.Write(append(terminal.JSON(data), '\n'))
	return err
}

// printJSONLine prints v on one line.
func (sh *shell) printJSONLine(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	_, err = sh.Console.Out.Write(append(terminal.JSON(data), '\n'))
	return err
}

// absolute is a path seen from the working directory.
func (sh *shell) absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	dir, err := sh.Dir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, path), nil
}
