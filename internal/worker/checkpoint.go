package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// checkpointShare bounds what checkpoints cost: after one, the next waits this many times as long as it took, so that a large
// workspace costs its agent little. It waits this many periods at most, so that a short period works on a busy machine, too.
const checkpointShare = 20

// pause is how long the next checkpoint waits after one that took so long.
func pause(period, took time.Duration) time.Duration {
	return min(max(period, checkpointShare*took), checkpointShare*period)
}

// checkpointed carries out an attempt and has another process save its work from time to time, once it has lasted so long.
// That is another one because a shim ends and reaps every process that it finds below itself.
func checkpointed(every time.Duration, with prepared, log *slog.Logger) func(ctx context.Context, folder string) error {
	if every <= 0 {
		return func(ctx context.Context, folder string) error { return with.supervise(ctx, folder, shim.Run) }
	}
	return func(ctx context.Context, folder string) error {
		s := &saver{folder: folder, every: every, env: os.Environ(), stop: make(chan struct{}), log: log}
		done := make(chan struct{})
		go func() { defer close(done); s.run() }()
		err := with.supervise(ctx, folder, func(ctx context.Context, folder string, opts shim.Options) error {
			opts.Beside = s.pids
			return shim.Run(ctx, folder, opts)
		})
		close(s.stop)
		<-done
		return err
	}
}

// saver is the process that saves an attempt's work.
type saver struct {
	folder string
	every  time.Duration
	env    []string // from before the shim took the secrets out of it
	stop   chan struct{}
	log    *slog.Logger

	mu  sync.Mutex // held while it starts, so that nobody takes it for the agent's
	cmd *exec.Cmd
}

// pids are those of the saver.
func (s *saver) pids() []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cmd == nil || s.cmd.Process == nil {
		return nil
	}
	return []int{s.cmd.Process.Pid}
}

// run saves the attempt's work until it is stopped. An attempt whose work cannot be saved goes on all the same: what it hands in
// at its end does not depend on checkpoints.
func (s *saver) run() {
	select {
	case <-s.stop:
		return
	case <-time.After(s.every):
	}
	alive, err := s.start()
	if err != nil {
		s.log.Warn("the attempt goes on without checkpoints: what saves them does not start", "error", err)
		return
	}
	<-s.stop
	_ = alive.Close()
	_ = s.cmd.Wait() // what it saved last is there, or not
}

func (s *saver) start() (io.Closer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cmd = exec.Command(self, word, wordMark, s.folder, s.every.String()) //nolint:noctx // it ends with its standard input
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.Dir, s.cmd.Env = os.Stderr, os.Stderr, s.folder, s.env
	alive, err := s.cmd.StdinPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	return alive, err
}

// checkpoint saves the work of an attempt until its standard input ends, at most every so often.
func checkpoint(ctx context.Context, folder, every string) error {
	least, err := time.ParseDuration(every)
	if err != nil {
		return fmt.Errorf("read how often work is saved: %w", err)
	}
	opts, err := newPrepared(nil).options(folder)
	if err != nil {
		return err
	}
	points, err := shim.NewCheckpoints(folder, opts)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // nothing is ever written: it ends when the attempt does
		cancel()
	}()
	for {
		began := time.Now()
		if err := points.Save(ctx); err != nil && !errors.Is(ctx.Err(), context.Canceled) {
			opts.Log.Warn("work in progress was not saved", "error", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause(least, time.Since(began))):
		}
	}
}
