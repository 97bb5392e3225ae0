package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
)

// activeRuns is how many runs are under way at once.
const activeRuns = 1000

// memory measures the most that `stellwerk serve` ever holds in memory, from
// its start on, while 1,000 runs of the built-in playbook are under way: each
// is in its second stage with an attempt that the engine watches. The attempts
// have no processes of their own; their locks are held here, which is all that
// the engine sees of an attempt at work. The limit is absolute.
func memory(ctx context.Context, shop *workshop) (o outcome, err error) {
	dir, err := shop.folder("memory")
	if err != nil {
		return o, err
	}
	program, err := shop.stellwerk(ctx)
	if err != nil {
		return o, err
	}
	runs, err := underWay(ctx, shop, dir, activeRuns)
	if err != nil {
		return o, err
	}
	for _, r := range runs {
		lock, err := hold(dir, r)
		if err != nil {
			return o, err
		}
		defer func() { err = errors.Join(err, lock.Close()) }()
	}
	peak, err := serve(ctx, shop, program, dir, time.Duration(shop.times(80))*100*time.Millisecond)
	if err != nil {
		return o, err
	}
	const mb = 1 << 20
	return outcome{ratio: float64(peak) / (256 * mb), measured: fmt.Sprintf("%d MB", peak/mb)}, nil
}

// underWay leaves n runs with a running attempt in a state folder.
func underWay(ctx context.Context, shop *workshop, dir string, n int) ([]*core.Run, error) {
	l, err := openLine(ctx, shop, dir)
	if err != nil {
		return nil, err
	}
	runs, err := begin(ctx, l, n)
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	var all sync.WaitGroup
	failures := make([]error, n)
	for i := range runs {
		all.Go(func() {
			for failures[i] == nil && !working(runs[i]) {
				runs[i], failures[i] = l.step(ctx, runs[i])
			}
		})
	}
	all.Wait()
	return runs, errors.Join(append(failures, l.close())...)
}

// working reports that the second stage's attempt runs and nothing else is to do.
func working(r *core.Run) bool {
	effects := core.Effects(r)
	if len(effects) != 1 || r.Current().ID != r.Stages[1].ID {
		return false
	}
	_, watching := effects[0].(core.WatchAttempt)
	return watching
}

// hold makes a run's attempt look alive: started, and its lock held.
func hold(dir string, r *core.Run) (*flock.Flock, error) {
	folder := dispatch.Layout{State: dir}.Attempt(r.ID, r.Active()[0].ID)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(folder, "started"), []byte("{}\n"), 0o600); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(folder, "lock"))
	held, err := lock.TryLock()
	if err == nil && !held {
		err = fmt.Errorf("the lock in %s is held", folder)
	}
	return lock, err
}

// serve runs an engine for a while after it answers, and returns the peak of
// its resident memory in bytes.
func serve(ctx context.Context, shop *workshop, program, dir string, during time.Duration) (int64, error) {
	cmd := exec.CommandContext(ctx, program, "serve", "--state", dir)
	cmd.Stderr = shop.log
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	err := answering(ctx, filepath.Join(dir, "engine.sock"))
	if err == nil {
		time.Sleep(during)
	}
	if err = errors.Join(err, cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()); err != nil {
		return 0, err
	}
	return maxResident(cmd.ProcessState)
}

// maxResident is the most memory that a process ever held, in bytes.
func maxResident(ended *os.ProcessState) (int64, error) {
	usage, ok := ended.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, errors.New("this system does not say how much memory a process used")
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss, nil // in bytes there, in kilobytes elsewhere
	}
	return usage.Maxrss << 10, nil
}

// answering waits until the engine listens, which it does once it has taken
// up every run.
func answering(ctx context.Context, socket string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var dialer net.Dialer
	for {
		conn, err := dialer.DialContext(ctx, "unix", socket)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the engine does not answer: %w", err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}
