package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path/filepath"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/peer"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
)

// stopTime is how long an engine may take to end what it has begun.
const stopTime = time.Minute

// Stop has the engine of a state folder end in order, as an interrupt does, and
// returns when it has let go of the folder. It returns what the engine said of
// itself before; if none runs, that is nothing. Attempts go on.
func Stop(ctx context.Context, opts Options) (api.Info, error) {
	state, info, err := engineOf(ctx, opts)
	if err != nil || info.PID == 0 {
		return info, err
	}
	if err := syscall.Kill(info.PID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return info, fmt.Errorf("end the engine, process %d: %w", info.PID, err)
	}
	return info, awaitEnd(ctx, state, info.PID)
}

// Drain has the engine of a state folder give its work to others. It returns what the engine says to that, the zero value if none
// runs, and what waits until the engine is gone.
func Drain(ctx context.Context, opts Options, req api.Drain) (d api.Drained, wait func(context.Context) error, err error) {
	state, info, err := engineOf(ctx, opts)
	if err != nil || info.PID == 0 {
		return d, nil, err
	}
	svc, err := dial(ctx, opts)
	if err != nil {
		return d, nil, err
	}
	d, err = svc.Drain(ctx, req)
	err = errors.Join(err, svc.Close())
	return d, func(ctx context.Context) error { return awaitRelease(ctx, state, info.PID, nil) }, err
}

// engineOf finds the engine of a state folder, and what it says of itself; the zero value if none runs.
func engineOf(ctx context.Context, opts Options) (state statefolder.Folder, info api.Info, err error) {
	if state, err = statefolder.Locate(opts.State); err != nil {
		return state, info, err
	}
	resolved, err := filepath.EvalSymlinks(state.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return state, info, nil
	}
	if err != nil {
		return state, info, fmt.Errorf("look at the state folder: %w", err)
	}
	state.Dir = resolved
	info, err = inquire(ctx, opts, state)
	if errors.Is(err, api.ErrNoEngine) {
		if state.Held() {
			return state, info, core.Errorf(core.CodeUnavailable, "an engine holds %s and does not answer", state.Dir).
				WithHint("it may be coming up or going down: try again in a moment, or look at %s", state.LogFile())
		}
		return state, info, nil
	}
	return state, info, err
}

// inquire asks the engine about itself, and makes sure that its process is the
// one of that number here: an engine in a container counts its own.
func inquire(ctx context.Context, opts Options, state statefolder.Folder) (api.Info, error) {
	svc, err := dial(ctx, opts)
	if err != nil {
		return api.Info{}, err
	}
	info, err := svc.Info(ctx)
	if err = errors.Join(err, svc.Close()); err != nil {
		return api.Info{}, err
	}
	socket, err := state.Socket()
	if err != nil {
		return api.Info{}, err
	}
	conn, err := (&net.Dialer{Timeout: 3 * time.Second}).DialContext(ctx, "unix", socket)
	if err != nil {
		return api.Info{}, fmt.Errorf("look at the engine's process: %w", err)
	}
	pid, known := peer.PID(conn)
	if err := conn.Close(); err != nil {
		return api.Info{}, fmt.Errorf("close a probe of the engine: %w", err)
	}
	if known && pid != info.PID {
		return api.Info{}, core.Errorf(core.CodeInvalid, "the engine calls itself process %d, which is another one here", info.PID).
			WithHint("it runs in a container, it seems: end it there")
	}
	return info, nil
}

// awaitEnd waits until the state folder is free, which it is to be soon.
func awaitEnd(ctx context.Context, state statefolder.Folder, pid int) error {
	late := time.NewTimer(stopTime)
	defer late.Stop()
	return awaitRelease(ctx, state, pid, late.C)
}

// awaitRelease waits until the state folder is free or, without success, until it is late.
func awaitRelease(ctx context.Context, state statefolder.Folder, pid int, late <-chan time.Time) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for state.Held() {
		if gone := errors.Is(syscall.Kill(pid, 0), syscall.ESRCH); gone {
			return nil // and another has the folder already
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-late:
			return core.Errorf(core.CodeUnavailable, "the engine was told to end and still runs, as process %d", pid).
				WithHint("see %s", state.LogFile())
		case <-tick.C:
		}
	}
	return nil
}
