// Package erasure removes from a machine what an engine keeps there of runs and projects whose content was erased: folders of
// runs, of attempts and of work, yards, pages of pull requests. That a run was erased is proved by its events right before. It
// must not touch the store but for its own documents, nor anything of a project that was not erased.
package erasure

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Store is what is asked about erasures.
type Store interface {
	store.Documents
	Now(ctx context.Context) (time.Time, error)
	Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error)
	Scrub(ctx context.Context) error
}

// Engine proves what was erased, and has some of it in memory.
type Engine interface {
	Erased(ctx context.Context, stream string) (bool, error)
	Forget(run string)
}

// Options are what a Sweeper works on.
type Options struct {
	State   statefolder.Folder
	Store   Store
	Engine  Engine
	Journal interface{ Remove(run string) error }
	Yards   interface {
		Remove(ctx context.Context, project string) error
	}
	// Objects removes objects that nothing names and that were put before a time.
	Objects func(ctx context.Context, before time.Time) error
}

// settled is how long after an announcement a machine is looked through again: until then, the erasure may still be under way.
const settled = time.Hour

// note is what a document says about an erasure.
type note struct {
	Scrubbed bool `json:"scrubbed,omitempty"` // the store's files, too
	Swept    bool `json:"swept,omitempty"`    // objects that were still young when it happened are gone, too
}

// Announce tells all engines on the store that a project is being erased. It comes before the erasure, so that none is overlooked.
func Announce(ctx context.Context, docs store.Documents, project string) error {
	return document.Change(ctx, docs, store.ErasureKind, project, func(n *note) error {
		*n = note{}
		return nil
	})
}

// Sweeper removes what is left on a machine. Its methods are safe for concurrent use.
type Sweeper struct {
	Options
	mu   sync.Mutex
	done map[string]int64 // version of the documents that were seen to on this machine, by project
}

// New makes a Sweeper that has seen to nothing.
func New(o Options) *Sweeper { return &Sweeper{Options: o, done: map[string]int64{}} }

// Sweep sees to every erasure that is new to this machine, and has the objects removed that had to become old enough. What fails
// is tried again by the next.
func (s *Sweeper) Sweep(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := s.Store.Documents(ctx, store.ErasureKind, "", "", 0)
	if err != nil {
		return err
	}
	now, err := s.Store.Now(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, d := range all {
		if err := s.see(ctx, d, now); err != nil {
			errs = append(errs, fmt.Errorf("project %s: %w", d.Key, err))
		}
	}
	return errors.Join(errs...)
}

// see sees to one erasure.
func (s *Sweeper) see(ctx context.Context, d store.Document, now time.Time) error {
	var said note
	if err := json.Unmarshal(d.Data, &said); err != nil {
		return err
	}
	erased, err := s.Engine.Erased(ctx, core.ProjectStream(d.Key))
	if err != nil {
		return err
	}
	if s.done[d.Key] != d.Version {
		clean, err := s.project(ctx, d.Key, erased)
		if err != nil {
			return err
		}
		if clean && now.Sub(d.At) > settled {
			s.done[d.Key] = d.Version
		}
	}
	if !erased || said.Swept {
		return nil
	}
	switch {
	case !said.Scrubbed:
		err, said.Scrubbed = s.Store.Scrub(ctx), true
	case now.Sub(d.At) > object.Young+time.Hour:
		err, said.Swept = s.Objects(ctx, d.At), true
	default:
		return nil
	}
	if err != nil {
		return err
	}
	err = document.Put(ctx, s.Store, store.ErasureKind, d.Key, d.Version, said)
	if errors.Is(err, store.ErrStale) {
		return nil // it was erased again, or another engine was faster
	}
	return err
}

// project removes what this machine has of an erased project. It reports false if runs that began in it since keep something in
// use.
func (s *Sweeper) project(ctx context.Context, project string, gone bool) (clean bool, err error) {
	rows, err := s.Store.Runs(ctx, store.Filter{Project: project})
	if err != nil {
		return false, err
	}
	open := false
	for _, row := range rows {
		open = open || row.EndedAt == nil
		erased, err := s.Engine.Erased(ctx, core.RunStream(row.ID))
		if err == nil && erased {
			s.Engine.Forget(row.ID)
			err = s.run(row.ID)
		}
		if err != nil {
			return false, fmt.Errorf("remove what is left of run %s: %w", row.ID, err)
		}
	}
	if !gone || open {
		return !open, nil
	}
	if err := s.Yards.Remove(ctx, project); err != nil {
		return false, fmt.Errorf("remove the yard of project %s: %w", project, err)
	}
	return true, yard.RemoveWorkspace(filepath.Join(s.State.Pulls(), project))
}

func (s *Sweeper) run(run string) error {
	if err := s.Journal.Remove(run); err != nil {
		return err
	}
	for _, folder := range []string{"attempts", "work"} {
		if err := yard.RemoveWorkspace(filepath.Join(s.State.Dir, folder, run)); err != nil {
			return err
		}
	}
	return nil
}
