package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

// Connect finds the engine of a state folder, or starts one in this process
// for as long as the connection lasts. If the state folder of such an engine is
// lost, opts.Lost is told, and closing the connection returns the same error.
func Connect(ctx context.Context, opts Options) (api.Service, func() error, error) {
	for deadline := time.Now().Add(handover); ; {
		svc, err := dial(ctx, opts)
		if err == nil {
			return svc, svc.Close, nil
		}
		if !errors.Is(err, api.ErrNoEngine) {
			return nil, nil, err
		}
		stop, err := host(ctx, opts)
		if err == nil {
			svc, err := dial(ctx, opts)
			if err != nil {
				return nil, nil, errors.Join(err, stop())
			}
			return svc.Hosted(), func() error { return errors.Join(svc.Close(), stop()) }, nil
		}
		// Another engine holds the folder and does not answer yet, or not any
		// more: it is coming up or going down.
		if core.CodeOf(err) != core.CodeConflict || time.Now().After(deadline) {
			return nil, nil, err
		}
		if err := rest(ctx, 50*time.Millisecond); err != nil {
			return nil, nil, err
		}
	}
}

// rest waits before the next look, and fails when the context ends.
func rest(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(d):
		return nil
	}
}

// Dial connects to an engine that runs already, and starts none.
func Dial(ctx context.Context, opts Options) (api.Service, func() error, error) {
	svc, err := dial(ctx, opts)
	if errors.Is(err, api.ErrNoEngine) {
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "no engine runs on this state folder", "start one: stellwerk serve")
	}
	if err != nil {
		return nil, nil, err
	}
	return svc, svc.Close, nil
}

// handover is how long an engine may take to come up or go down.
const handover = 15 * time.Second

// unreachable says why an engine that may be there does not answer.
func unreachable(folder string, err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return core.Wrap(core.CodeUnavailable, err, "you may not read the state folder "+folder,
			"use the account that it belongs to, or choose another folder with --state DIR or STELLWERK_STATE")
	}
	return core.Wrap(core.CodeUnavailable, err, "the engine cannot be reached",
		"try again in a moment; if that does not help, see the end of "+filepath.Join(folder, "engine.log")+" and end the process that it names last")
}

// dial connects to a running engine.
func dial(ctx context.Context, opts Options) (*client.Client, error) {
	state, err := statefolder.Locate(opts.State)
	if err != nil {
		return nil, err
	}
	if resolved, err := filepath.EvalSymlinks(state.Dir); err == nil {
		state.Dir = resolved
	}
	socket, err := state.Socket()
	if err != nil {
		return nil, err
	}
	conn, err := (&net.Dialer{Timeout: 3 * time.Second}).DialContext(ctx, "unix", socket)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ENOTDIR) {
		return nil, api.ErrNoEngine
	}
	if err != nil {
		return nil, unreachable(state.Dir, err)
	}
	if err := conn.Close(); err != nil {
		return nil, fmt.Errorf("close a probe of the engine: %w", err)
	}
	token, err := api.ReadPersonToken(state.TokenFile())
	if err != nil {
		return nil, err
	}
	return client.New(socket, token), nil
}

// host starts an engine in this process and serves it on its socket until the
// returned function ends it.
func host(ctx context.Context, opts Options) (func() error, error) {
	if err := checkAddresses(ctx, opts); err != nil {
		return nil, err
	}
	if opts.Drained == nil {
		opts.Drained = endSelf
	}
	a, err := Open(ctx, opts)
	if err != nil {
		return nil, err
	}
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	ends := []func() error{a.Close}
	end := func() error {
		stop()
		var errs []error
		for _, f := range slices.Backward(ends) {
			errs = append(errs, f())
		}
		return errors.Join(errs...)
	}
	// The tools come before the API: whoever finds the engine may start an attempt.
	for _, begin := range []func(context.Context) (wait func() error, err error){
		a.serveTools, a.serveNetwork, a.hearWebhooks, a.showMetrics, a.serveAPI,
	} {
		wait, err := begin(serving)
		if err != nil {
			return nil, errors.Join(err, end())
		}
		ends = append(ends, wait)
	}
	ends = append(ends, background(func() error { return a.guardState(serving) }))
	return end, nil
}

// endSelf ends this process in order, as `stellwerk stop` does: the command that hosts the engine knows how.
func endSelf() { _ = syscall.Kill(os.Getpid(), syscall.SIGTERM) } // a process may always signal itself

// background runs fn beside everything else. The returned function waits for its end.
func background(fn func() error) (wait func() error) {
	done := make(chan error, 1)
	go func() { done <- fn() }()
	return func() error { return <-done }
}

// nothing is what there is to wait for if nothing was begun.
func nothing() error { return nil }

// stateLook is how often an engine looks whether its state folder is still there.
const stateLook = 2 * time.Second

// guardState returns nil as the context ends, and an error if the state folder
// is gone before: nobody could reach the engine any more, and what it would
// write is lost. Whoever hosts the engine is told, and has to end it.
func (a *App) guardState(ctx context.Context) error {
	look := time.NewTicker(stateLook)
	defer look.Stop()
	for !a.lock.Lost() {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
	gone := core.Errorf(core.CodeUnavailable, "the state folder %s was deleted or replaced while the engine ran, so it ends", a.state.Dir).
		WithHint("the next command starts an engine on what is there now; a backup is put back with stellwerk restore")
	a.log.Error(gone.Error())
	if a.opts.Lost != nil {
		a.opts.Lost(gone)
	}
	return gone
}

// Serve runs an engine until the context ends or its state folder is gone.
func Serve(ctx context.Context, opts Options) error {
	ctx, lost := context.WithCancelCause(ctx)
	defer lost(nil)
	opts.Lost, opts.Drained = lost, func() { lost(nil) }
	stop, err := host(ctx, opts)
	if err != nil {
		return err
	}
	<-ctx.Done()
	return stop()
}

// Detach starts an engine in a process of its own and waits until it answers.
// It runs from the copy in the state folder, so that an upgrade cannot touch it.
// A command in passing may be the folder's engine for a moment: it is waited for.
func Detach(ctx context.Context, opts Options) error {
	if err := checkAddresses(ctx, opts); err != nil {
		return err
	}
	state, err := statefolder.Open(opts.State)
	if err != nil {
		return err
	}
	deadline, last := time.Now().Add(handover), false
	for {
		if answers(ctx, opts) {
			return alreadyRuns(opts)
		}
		err := detach(ctx, opts, state)
		if err == nil || last {
			return err
		}
		last = !state.Held() || time.Now().After(deadline) // who held it may have gone this moment
		if err := rest(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// alreadyRuns refuses to take an engine that runs for one that listens, shows its
// metrics or hears webhooks if it was asked to.
func alreadyRuns(opts Options) error {
	asked := []struct{ address, does, flag string }{
		{"", "listen", "--listen"}, {opts.Metrics, "show its metrics", "--metrics"}, {opts.Webhook, "hear webhooks", "--webhook"},
	}
	if opts.Network != nil && !opts.Network.AnyPort {
		asked[0].address = opts.Network.Listen
	}
	for _, a := range asked {
		if a.address != "" {
			return core.Errorf(core.CodeConflict, "an engine runs already, and it is not known to %s at %s", a.does, a.address).
				WithHint("end it (stellwerk stop), then start it again with %s", a.flag)
		}
	}
	return nil
}

// answers reports an engine that does more than hold its socket: one that was
// killed this moment still does that.
func answers(ctx context.Context, opts Options) bool {
	svc, err := dial(ctx, opts)
	if err != nil {
		return false
	}
	_, err = svc.Info(ctx)
	return errors.Join(err, svc.Close()) == nil
}

func detach(ctx context.Context, opts Options, state statefolder.Folder) error {
	programs, err := shim.InstallSelf(state.Bin())
	if err != nil {
		return err
	}
	log, err := os.OpenFile(state.LogFile(), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the engine's log cannot be opened", "check "+state.Dir)
	}
	args := []string{"serve", "--state", state.Dir}
	if opts.LogFormat != "" {
		args = append(args, "--log-format", opts.LogFormat)
	}
	if opts.LogLevel != slog.LevelInfo {
		args = append(args, "--log-level", strings.ToLower(opts.LogLevel.String()))
	}
	if opts.Webhook != "" {
		args = append(args, "--webhook", opts.Webhook)
	}
	if opts.Metrics != "" {
		args = append(args, "--metrics", opts.Metrics, "--metrics-public="+strconv.FormatBool(opts.MetricsPublic))
	}
	if opts.Workers.URL != "" {
		args = append(args, "--url", opts.Workers.URL)
	}
	args = append(args, networkArguments(opts.Network)...)
	cmd := exec.Command(programs.Self, args...) //nolint:noctx // the engine outlives the command that starts it
	cmd.Dir, cmd.Stdout, cmd.Stderr = state.Dir, log, log
	cmd.Env = os.Environ()
	for variable, value := range map[string]string{config.StoreVariable: opts.Database, config.ObjectsVariable: opts.Objects} {
		if value != "" { // no argument: it may have a password
			cmd.Env = append(cmd.Env, variable+"="+value)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	if err = errors.Join(err, log.Close()); err != nil {
		return fmt.Errorf("start the engine: %w", err)
	}
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	return await(ctx, opts, state, exited)
}

func await(ctx context.Context, opts Options, state statefolder.Folder, exited <-chan error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if svc, err := dial(ctx, opts); err == nil {
			return svc.Close()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		case err := <-exited:
			return core.Errorf(core.CodeUnavailable, "the engine ended as it started: %v", err).WithHint("see %s", state.LogFile())
		}
	}
}
