package engine

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Drain gives back everything that this engine owns, for others to take at once, and takes nothing any more. What it has
// begun to do for a project ends, and whoever takes it looks how far that came. The engine still commits what people and
// attempts say. It returns how many projects it gave back; called again, it gives back what is left.
func (e *Engine) Drain(ctx context.Context) (projects int, err error) {
	e.owned.change.Lock()
	defer e.owned.change.Unlock()
	e.owned.mu.Lock()
	e.owned.draining = true
	fences := maps.Clone(e.owned.fences)
	e.owned.mu.Unlock()
	var errs []error
	for _, project := range slices.Sorted(maps.Keys(fences)) {
		if err := e.yield(ctx, store.Owner{Project: project, Fence: fences[project]}); err != nil {
			errs = append(errs, err)
			continue
		}
		projects++
	}
	return projects, errors.Join(errs...)
}

// drains reports that this engine takes nothing any more.
func (o *ownership) drains() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.draining
}
