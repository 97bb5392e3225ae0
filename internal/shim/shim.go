// Package shim is what runs beside an agent, in a process of its own that outlives the engine: it starts the agent in
// isolation, writes down what it does, ends it and everything it started, saves its work, and says in exit.json how it
// went. The attempt folder is its only tie to the engine, and each file there is written so that a crash at any moment
// leaves one of three readings: running, exited or lost. The shim must not decide anything about the work, must not
// run an attempt twice, and must not trust a byte the agent wrote. Run and Salvage own their process: they take over
// its signals and end all its descendants.
package shim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/program"
	"github.com/stellwerk-dev/stellwerk/internal/resource"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// cancelLook is how often a running shim looks for a request to cancel.
const cancelLook = 200 * time.Millisecond

// Options is what a shim is given by its program rather than by the attempt folder.
type Options struct {
	Agents map[string]agent.Agent
	// NewRedactor makes the redactor of one attempt; values are the secrets handed to it, to be removed in any form.
	NewRedactor func(values []string) (Redactor, error)
	// HandIn is the command that bundles a workspace; the path of a HandInRequest is added to it. It runs inside the
	// isolation: as a process of its own, or by the bridge of the agent's sandbox.
	HandIn []string
	// HandInHere does the same in this process, for attempts without isolation: there is no wall to do it behind. Nil starts
	// the command.
	HandInHere func(ctx context.Context, request string) error
	// Reserved is a group that was made ahead, for the next process that is to be bounded; nil for none.
	Reserved *resource.Reservation
	// Self is the path of this program: the agent's tools start it, and the sandbox starts it as a bridge (package bridge).
	Self string
	// Beside tells children of this process that are not the agent's, and are left alone; nil for none.
	Beside func() []int
	Log    *slog.Logger

	later *sync.WaitGroup // of what is done while the attempt goes on; nil to do it at once
}

// aside does what nobody waits for before the attempt has ended.
func (o Options) aside(do func()) {
	if o.later == nil {
		do()
		return
	}
	o.later.Go(do)
}

// Run carries out the attempt described in folder and returns when exit.json is written. If the attempt has run or is
// running, it does nothing and returns ErrAlreadyStarted.
func Run(ctx context.Context, folder string, opts Options) error {
	done := takeDone()
	ctx, stop := ownSignals(ctx)
	defer stop()
	held, err := take(ctx, folder)
	if err != nil {
		return err
	}
	defer release(held)
	ctx, cancel := watchCancel(ctx, folder)
	defer cancel()
	opts.later = &sync.WaitGroup{}
	defer opts.later.Wait()
	exit := attempt(ctx, folder, opts, func() { tellIdle(done) })
	if err := writeExit(folder, exit); err != nil {
		return err
	}
	closeDone(done)
	if err := os.RemoveAll(filepath.Join(folder, tmpFolder)); err != nil {
		opts.Log.Warn("temporary files of the attempt are left", "folder", folder, "error", err)
	}
	return nil
}

// attempt does everything between started and exit.json, and calls idle when the agent has ended. Whatever goes wrong
// becomes part of the Exit.
func attempt(ctx context.Context, folder string, opts Options, idle func()) Exit {
	exit := Exit{Proto: Proto, Reason: ReasonStartFailed, ExitCode: -1, StartedAt: time.Now().UTC()}
	spec, err := ReadSpec(folder)
	if err == nil {
		exit.Attempt, exit.Isolation = spec.Attempt, spec.Isolation
		err = carryOut(ctx, folder, spec, opts, idle, &exit)
	}
	if err != nil {
		exit.Detail = cmp.Or(exit.Detail, err.Error()) // carryOut says it without secrets
		exit.Hopeless = exit.Reason == ReasonStartFailed && (program.Hopeless(err) || errors.Is(err, sandbox.ErrNotVisible) || errors.Is(err, errCredential) || errors.Is(err, errPrices))
	}
	exit.EndedAt = time.Now().UTC()
	return exit
}

// provisions is what an agent runs with that its spec only names.
type provisions struct {
	adapter  agent.Agent
	secrets  variables
	model    *credential
	redactor Redactor
	group    *resource.Group
	running  func() // called when the agent runs; nil for nothing
}

func carryOut(ctx context.Context, folder string, spec Spec, opts Options, idle func(), exit *Exit) (err error) {
	with := provisions{}
	if with.secrets, err = takeSecrets(spec.Secrets); err != nil {
		return err
	}
	foreign, err := takePresent(spec.Redact)
	if err != nil {
		return err
	}
	if with.group, err = spec.Resources.group(spec.Attempt, spec.Isolation, opts.Reserved); err != nil {
		return err
	}
	var in *inside
	defer opts.aside(func() {
		in.close()
		with.group.Close()
	})
	if with.model, err = takeCredential(ctx, spec.Model); err != nil {
		return err
	}
	if with.redactor, err = opts.NewRedactor(values(with.secrets, foreign, with.model.secret())); err != nil {
		return fmt.Errorf("prepare the removal of secrets: %w", err)
	}
	defer func() {
		if err != nil {
			exit.Detail = err.Error()
		}
		exit.redact(with.redactor)
	}()
	var ok bool
	if with.adapter, ok = opts.Agents[spec.Agent]; !ok {
		return fmt.Errorf("this program knows no agent %q", spec.Agent)
	}
	next := nextGroup{}
	defer next.close()
	if context.Cause(ctx) != nil {
		exit.Reason = ReasonCancelled
	} else {
		if spec.handsInApart() {
			with.running = func() { next.reserve(spec.Resources.Owner) }
		}
		in, err = runAgent(ctx, folder, spec, opts, with, exit)
	}
	if exit.Reason == ReasonStartFailed {
		return err
	}
	opts.Reserved = next.take()
	idle()
	exit.Outputs, exit.Refused = collect(spec.Job.Out, spec.limits(), with.redactor)
	if spec.Writes == core.WritesCode {
		// A cancelled attempt hands in too, even if it was cancelled before the shim started anything: the agent of a
		// session may have done work already, which must not be lost. A person who cancels does not wait for ever: after
		// CancelledHandIn the workspace is left as it is.
		later, stop := outlasting(ctx, time.Duration(spec.CancelledHandIn))
		defer stop()
		exit.HandIn = in.save(later, folder, spec, opts)
	}
	return err
}

// outlasting is a context that ends some time after its parent.
func outlasting(parent context.Context, by time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	stop := context.AfterFunc(parent, func() {
		select {
		case <-time.After(by):
			cancel(context.Cause(parent))
		case <-ctx.Done():
		}
	})
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// errCancelled is the cause of a context that ended because somebody cancelled the attempt.
var errCancelled = errors.New("the attempt was cancelled")

// ownSignals makes TERM and INT a request to cancel, and HUP nothing. HUP is caught rather than ignored because an
// ignored signal would stay ignored in the agent.
func ownSignals(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for s := range signals {
			if s != syscall.SIGHUP {
				cancel(errCancelled)
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		<-done
		cancel(nil)
	}
}

// watchCancel ends the context when a cancel file appears in folder.
func watchCancel(parent context.Context, folder string) (context.Context, func()) {
	return whileFine(parent, func() error {
		if Cancelled(folder) {
			return errCancelled
		}
		return nil
	})
}

// whileFine is a context that ends, with the error as its cause, when a look returns one. It looks at once and then every
// cancelLook.
func whileFine(parent context.Context, look func() error) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	if err := look(); err != nil {
		cancel(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(cancelLook)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := look(); err != nil {
					cancel(err)
				}
			}
		}
	}()
	return ctx, func() {
		cancel(nil)
		<-done
	}
}
