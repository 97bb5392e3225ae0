package app

import (
	"context"
	"errors"
	"path/filepath"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// yards opens each project's yard once.
type yards struct {
	dir  string
	pass yard.Credentials
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
