package app

import (
	"context"
	"time"
)

// rosterEvery is how often engines are forgotten that ended long ago without saying so.
const rosterEvery = time.Hour

// sweepRoster forgets them until ctx ends.
func (a *App) sweepRoster(ctx context.Context) {
	tick := time.NewTicker(rosterEvery)
	defer tick.Stop()
	for {
		if err := a.roster.Sweep(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("engines that ended long ago are still listed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
