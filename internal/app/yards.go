package app

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// yards opens each project's yard once. One that is missing is filled with what events, objects and repositories on this
// machine say it had. If other engines work on the store, a yard follows what they committed for as long as its project is
// not this engine's.
type yards struct {
	dir    string
	pass   yard.Credentials
	code   pack.Restorer
	store  store.Store
	shared bool                       // with other engines
	fence  func(project string) int64 // under which this engine owns a project; 0 if it does not

	mu   sync.Mutex
	open map[string]*kept
}

// kept is the yard of one project.
type kept struct {
	mu   sync.Mutex
	yard *yard.Yard // nil until it is open
	// fence is that of this engine when the yard was last made to follow, and position how far the store had come; 0 for
	// not yet.
	fence, position int64
}

// Yard implements dispatch.Yards.
func (y *yards) Yard(ctx context.Context, project string) (*yard.Yard, error) {
	y.mu.Lock()
	k := y.open[project]
	if k == nil {
		k = &kept{}
		y.open[project] = k
	}
	y.mu.Unlock()
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.yard == nil {
		if err := y.fill(ctx, k, project); err != nil {
			return nil, err
		}
	}
	if y.shared {
		if err := y.follow(ctx, k, project); err != nil {
			return nil, err
		}
	}
	return k.yard, nil
}

// fill opens a yard, and brings back what one that is missing had.
func (y *yards) fill(ctx context.Context, k *kept, project string) error {
	position, err := y.store.Position(ctx)
	if err != nil {
		return err
	}
	opened, err := yard.Open(ctx, filepath.Join(y.dir, project+".git"))
	if err != nil {
		return err
	}
	opened.Credentials = y.pass
	empty, err := opened.Empty()
	if err == nil && empty {
		k.position, err = position, y.code.Restore(ctx, opened, project)
	}
	if err != nil {
		return errors.Join(err, opened.Close())
	}
	k.yard = opened
	return nil
}

// follow brings a yard up to date, once for each time that this engine came to own its project, and otherwise whenever it is
// used: what the owner does to its yard precedes the events that tell of it.
func (y *yards) follow(ctx context.Context, k *kept, project string) error {
	fence := y.fence(project)
	if fence != 0 && fence == k.fence {
		return nil
	}
	position, err := y.store.Position(ctx)
	if err != nil {
		return err
	}
	runs, err := y.moved(ctx, project, k.position)
	if err != nil {
		return err
	}
	if len(runs) > 0 {
		if err := y.code.Follow(ctx, k.yard, runs); err != nil {
			return err
		}
	}
	k.fence, k.position = fence, position
	return nil
}

// movedAtOnce is how many events are looked through in one go.
const movedAtOnce = 4096

// moved are the runs of a project that have moved on since a position.
func (y *yards) moved(ctx context.Context, project string, after int64) ([]string, error) {
	var runs []string
	if after == 0 {
		rows, err := y.store.Runs(ctx, store.Filter{Project: project})
		for _, row := range rows {
			runs = append(runs, row.ID)
		}
		return runs, err
	}
	for {
		streams, at, err := y.store.Moved(ctx, after, movedAtOnce)
		if err != nil || at == after {
			return runs, err
		}
		for _, stream := range streams {
			kind, id := core.StreamKind(stream)
			if kind != "run" {
				continue
			}
			row, err := y.store.Run(ctx, id)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return nil, err
			}
			if err == nil && row.Project == project {
				runs = append(runs, id)
			}
		}
		after = at
	}
}

// Close gives all yards up.
func (y *yards) Close() error {
	y.mu.Lock()
	defer y.mu.Unlock()
	var errs []error
	for _, k := range y.open {
		k.mu.Lock()
		if k.yard != nil {
			errs = append(errs, k.yard.Close())
		}
		k.mu.Unlock()
	}
	return errors.Join(errs...)
}
