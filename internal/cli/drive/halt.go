package drive

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
)

const (
	settleLook  = 200 * time.Millisecond
	settleLimit = 30 * time.Second
)

// Wait sleeps, and ends early with the context.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Halt gives a person's word that stops a run. If that also ends agents (stop) and
// the engine lives in this process, Halt waits for them.
func Halt(ctx context.Context, sh *shell.Shell, given string, stop bool, w Word) error {
	return sh.Connect(ctx, func(svc api.Service) error {
		run, err := sh.Find(ctx, svc, given)
		if err != nil {
			return err
		}
		if run, err = w(ctx, svc, run); err != nil {
			return err
		}
		settled := true
		if stop {
			if settled, err = settle(ctx, sh, svc, run.ID); err != nil {
				return err
			}
		}
		if err := sh.Print(run, sh.View().Runs([]api.Run{run})...); err != nil || sh.JSON {
			return err
		}
		if !settled {
			sh.Printf("An agent is still stopping; the next command completes that.\n")
		}
		return tellQueue(ctx, sh, svc, run)
	})
}

// settle keeps an engine of this process alive until the agents that it stops are
// gone, and reports whether they are.
func settle(ctx context.Context, sh *shell.Shell, svc api.Service, id string) (bool, error) {
	if !sh.EngineEnds(svc) {
		return true, nil
	}
	for range settleLimit / settleLook {
		detail, err := svc.Run(ctx, id)
		if err != nil {
			return false, err
		}
		if !view.AtWork(detail) {
			return true, nil
		}
		if err := Wait(ctx, settleLook); err != nil {
			return false, err
		}
	}
	return false, nil
}
