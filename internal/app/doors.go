package app

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/doorway"
)

// Commands that open a browser lead it to a code by a page in the state folder.
// The engine knows when that is of no use any more.

// doorsEvery is how exactly a page goes with its code.
const doorsEvery = time.Minute

// signedIn removes the page that led to a code which is used up.
func (a *App) signedIn(code string) {
	if err := doorway.Close(a.state.Dir, access.CodeName(code)); err != nil {
		a.log.Warn("a page that leads to a used code is left", "error", err)
	}
}

// closeDoors removes the pages that lead to codes which have run out.
func (a *App) closeDoors() {
	if err := doorway.Sweep(a.state.Dir, time.Now().Add(-access.CodeLife)); err != nil {
		a.log.Warn("pages that lead to old codes are left", "error", err)
	}
}

// keepDoors does that until ctx ends.
func (a *App) keepDoors(ctx context.Context) error {
	tick := time.NewTicker(doorsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			a.closeDoors()
		}
	}
}
