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
	state, err := statefolder.Locate(opts.State)
	if err != nil {
		return api.Info{}, err
	}
	resolved, err := filepath.EvalSymlinks(state.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return api.Info{}, nil
	}
	if err != nil {
		return api.Info{}, fmt.Errorf("look at the state folder: %w", err)
	}
	state.Dir = resolved
	info, err := inquire(ctx, opts, state)
	if errors.Is(err, api.ErrNoEngine) {
		if state.Held() {
			return api.Info{}, core.Errorf(core.CodeUnavailable, "an engine holds %s and does not answer", state.Dir).
				WithHint("it may be coming up or going down: try again in a moment, or look at %s", state.LogFile())
		}
		return api.Info{}, nil
	}
	if err != nil {
		return api.Info{}, err
	}
	if err := syscall.Kill(info.PID, syscall.SIGTERM); err != nil && !errors.Is(err, syscall.ESRCH) {
		return info, fmt.Errorf("end the engine, process %d: %w", info.PID, err)
	}
	return info, awaitEnd(ctx, state, info.PID)
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

// awaitEnd waits until the state folder is free.
func awaitEnd(ctx context.Context, state statefolder.Folder, pid int) error {
	deadline := time.Now().Add(stopTime)
	for state.Held() {
		if gone := errors.Is(syscall.Kill(pid, 0), syscall.ESRCH); gone {
			return nil // and another has the folder already
		}
		if time.Now().After(deadline) {
			return core.Errorf(core.CodeUnavailable, "the engine was told to end and still runs, as process %d", pid).
				WithHint("see %s", state.LogFile())
		}
		if err := rest(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}
