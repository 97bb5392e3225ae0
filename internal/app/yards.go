package app

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/pack"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// yards opens each project's yard once. One that is missing is filled with what events, objects and repositories on this
// machine say it had.
type yards struct {
	dir  string
	pass yard.Credentials
	code pack.Restorer
	mu   sync.Mutex
	open map[string]*yard.Yard
}

// Yard implements dispatch.Yards.
func (y *yards) Yard(ctx context.Context, project string) (*yard.Yard, error) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if opened, ok := y.open[project]; ok {
		return opened, nil
	}
	opened, err := yard.Open(ctx, filepath.Join(y.dir, project+".git"))
	if err != nil {
		return nil, err
	}
	opened.Credentials = y.pass
	empty, err := opened.Empty()
	if err == nil && empty {
		err = y.code.Restore(ctx, opened, project)
	}
	if err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	y.open[project] = opened
	return opened, nil
}

// Close gives all yards up.
func (y *yards) Close() error {
	y.mu.Lock()
	defer y.mu.Unlock()
	var errs []error
	for _, opened := range y.open {
		errs = append(errs, opened.Close())
	}
	return errors.Join(errs...)
}
