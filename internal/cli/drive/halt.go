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

// Wait waits, or ends with the context.
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

// Halt gives a person's word that stops a run. Where it ends what is running
// and the engine is this process, it waits for that.
func Halt(ctx context.Context, sh *shell.Shell, what, given string, stop bool, w word) error {
	if err := sh.ForPeople(what); err != nil {
		return err
	}
	return sh.Connect(ctx, func(svc api.Service) error {
		id, err := sh.Find(ctx, svc, given)
		if err != nil {
			return err
		}
		run, err := w(svc, id)
		if err != nil {
			return err
		}
		settled := true
		if stop {
			if settled, err = settle(ctx, sh, svc, run.ID); err != nil {
				return err
			}
		}
		if sh.JSON {
			return sh.PrintJSON(run)
		}
		sh.PrintLines(sh.View().Runs([]api.Run{run}))
		if !settled {
			sh.Printf("An agent is still stopping; the next command completes that.\n")
		}
		return tellQueue(ctx, sh, svc, run)
	})
}

// settle keeps an engine of this process alive until what it was told to stop
// has stopped, and reports whether it has.
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
