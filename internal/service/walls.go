package service

import (
	"context"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/doctor"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/wall"
)

// wallsAge is how long what the walls showed is told again: a page that is
// loaded over and over starts no process each time.
const wallsAge = time.Minute

// wallTrials is what the walls showed when they were last tried.
type wallTrials struct {
	mu     sync.Mutex
	at     time.Time
	trials []wall.Trial
	err    error
}

// try tries the walls with program, unless that was done a moment ago.
func (w *wallTrials) try(ctx context.Context, program string) ([]wall.Trial, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.at.IsZero() || time.Since(w.at) > wallsAge {
		// Whoever asked may leave; the next one gets the answer.
		w.trials, w.err = wall.Try(context.WithoutCancel(ctx), program)
		w.at = time.Now()
	}
	return w.trials, w.err
}

// examineWalls has a process in a sandbox try to get past each wall, as doctor
// does.
func (a *Service) examineWalls(ctx context.Context) []api.Examined {
	if kind, _ := a.isolation(); kind != sandbox.Sandbox {
		return nil // the isolation says it
	}
	return doctor.Walls(a.walls.try(ctx, a.self))
}
