package dispatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// trialPrefix begins the name that a trial's folders have in place of a run's id.
const trialPrefix = "trial-"

// Trial tries commands on a commit before there is a run, with the machinery that verifies
// deliveries: a clean checkout, the setup, a copy for each command, the shim and the
// isolation. Nothing outlives a trial: a command ends when its caller stops waiting.
type Trial struct {
	dispatcher *Dispatcher
	room       *checkout
	run        string
}

// NewTrial makes a trial for what is to become the run started.
func (d *Dispatcher) NewTrial(ctx context.Context, started core.RunStarted) (*Trial, error) {
	y, err := d.Yards.Yard(ctx, started.Project)
	if err != nil {
		return nil, err
	}
	playbook := started.Playbook
	stand := &core.Run{
		ID: trialPrefix + started.Run, Project: started.Project, Playbook: &playbook, Isolation: started.Isolation, Identity: started.Identity,
		Network: started.Network,
	}
	room := &checkout{dispatcher: d, yard: y, run: stand, commit: started.BaseCommit, event: stand.ID, name: "base", reuse: true}
	return &Trial{dispatcher: d, room: room, run: started.Run}, nil
}

// SetupFailed is a setup that failed on the commit itself.
type SetupFailed struct{ check.Result }

func (e *SetupFailed) Error() string {
	return fmt.Sprintf("the setup failed with exit code %d", e.ExitCode)
}

// Run runs one command. The error is a SetupFailed if the setup failed before.
func (t *Trial) Run(ctx context.Context, command string, limit time.Duration) (check.Result, error) {
	select {
	case t.dispatcher.checks <- struct{}{}:
		defer func() { <-t.dispatcher.checks }()
	case <-ctx.Done():
		return check.Result{}, ctx.Err()
	}
	// The command ends with its context, unlike those of a verification, which the
	// next engine finds again.
	wanted, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(nil)
	defer context.AfterFunc(ctx, func() { end(errUnwanted) })()
	result, err := t.room.Run(wanted, check.Command{Shell: command, Timeout: limit, OutputCap: 1 << 20})
	if ctx.Err() != nil {
		return check.Result{}, ctx.Err()
	}
	var setup *setupError
	if errors.As(err, &setup) {
		return check.Result{}, &SetupFailed{t.clean(setup.result)}
	}
	return t.clean(result), err
}

func (t *Trial) clean(r check.Result) check.Result {
	r.Output = t.dispatcher.redactor(t.room.run).String(r.Output)
	return r
}

// Keep gives what setup and builds have cached to the run that begins now. What
// is there already was left by an engine that was killed before the run began.
func (t *Trial) Keep() error {
	l, name := t.dispatcher.Layout, t.room.run.ID
	for from, to := range map[string]string{l.Caches(name): l.Caches(t.run), l.BuildCache(name): l.BuildCache(t.run)} {
		if _, err := os.Stat(from); errors.Is(err, os.ErrNotExist) {
			continue
		}
		err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), yard.RemoveWorkspace(to))
		if err == nil {
			err = os.Rename(from, to)
		}
		if err != nil {
			return fmt.Errorf("keep what a trial has cached: %w", err)
		}
	}
	return nil
}

// Disown removes what was kept for a run that has not begun after all.
func (t *Trial) Disown() error { return yard.RemoveWorkspace(t.dispatcher.Layout.Work(t.run)) }

// Close ends what still runs and removes every trace.
func (t *Trial) Close(ctx context.Context) error {
	return t.dispatcher.forgetTrial(ctx, t.room.run.ID)
}

// ForgetTrials removes what trials have left whose engine was killed.
func (d *Dispatcher) ForgetTrials(ctx context.Context) error {
	var errs []error
	left := map[string]bool{}
	for _, pattern := range []string{d.Layout.Work(trialPrefix + "*"), filepath.Dir(d.Layout.Attempt(trialPrefix+"*", "x"))} {
		paths, err := filepath.Glob(pattern)
		errs = append(errs, err)
		for _, path := range paths {
			left[filepath.Base(path)] = true
		}
	}
	for name := range left {
		errs = append(errs, d.forgetTrial(ctx, name))
	}
	return errors.Join(errs...)
}

// trialEnd is how long a command of a trial may take to end when it is told to.
const trialEnd = 30 * time.Second

// forgetTrial ends the commands of a trial at once, so that one that does not end
// takes no other's time, and removes what has ended. The checkouts stay for as long
// as a command may be at work there.
func (d *Dispatcher) forgetTrial(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), trialEnd)
	defer cancel()
	folders, err := filepath.Glob(d.Layout.Attempt(name, "*"))
	if err != nil {
		return err
	}
	var ending sync.WaitGroup
	errs := make([]error, len(folders))
	for i, folder := range folders {
		ending.Go(func() {
			if errs[i] = d.endTrial(ctx, spawn.ID{Run: name, Attempt: filepath.Base(folder)}); errs[i] == nil {
				errs[i] = yard.RemoveWorkspace(folder)
			}
		})
	}
	ending.Wait()
	if err := errors.Join(errs...); err != nil {
		return err
	}
	return errors.Join(yard.RemoveWorkspace(d.Layout.Work(name)), yard.RemoveWorkspace(filepath.Dir(d.Layout.Attempt(name, "x"))))
}

// endTrial ends one command of a trial if it runs, and waits for its end.
func (d *Dispatcher) endTrial(ctx context.Context, id spawn.ID) error {
	status, err := d.Commands.Probe(ctx, id)
	if err != nil || status.Final() {
		return err
	}
	if err := d.Commands.Kill(ctx, id); err != nil {
		return err
	}
	if status, err = d.Commands.Wait(ctx, id); err == nil && status == spawn.Running {
		return fmt.Errorf("the command %s does not end", id)
	}
	return err
}
