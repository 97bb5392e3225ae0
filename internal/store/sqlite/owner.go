package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/planted"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// Enlist begins a life of an engine.
func (s *Store) Enlist(ctx context.Context, e store.Engine, lease time.Duration) ([]store.Owner, error) {
	life := int64(0)
	owners, err := s.owning(ctx, func(ctx context.Context, tx *txn) (_ []store.Owner, err error) {
		if life, err = s.begin(ctx, tx, e.ID); err != nil {
			return nil, err
		}
		err = tx.PutEngine(ctx, query.PutEngineParams{ID: e.ID, Host: e.Host, Place: e.Place, LeaseUntil: micros(s.now().Add(lease))})
		if err != nil {
			return nil, fmt.Errorf("enlist %s: %w", e.ID, err)
		}
		if err := tx.Inherit(ctx, e.ID); err != nil {
			return nil, fmt.Errorf("inherit the projects of %s: %w", e.ID, err)
		}
		return owned(ctx, tx, e.ID)
	})
	if err == nil {
		s.lives.Store(e.ID, life)
	}
	return owners, err
}

// Renew has an engine's lease last from now.
func (s *Store) Renew(ctx context.Context, engine string, lease time.Duration) ([]store.Owner, error) {
	return s.owning(ctx, func(ctx context.Context, tx *txn) ([]store.Owner, error) {
		if err := s.renew(ctx, tx, engine, lease); err != nil {
			return nil, err
		}
		return owned(ctx, tx, engine)
	})
}

// Take makes an engine the owner of those projects that have no other.
func (s *Store) Take(ctx context.Context, engine string, lease time.Duration, projects []string) ([]store.Owner, error) {
	return s.owning(ctx, func(ctx context.Context, tx *txn) ([]store.Owner, error) {
		if err := s.renew(ctx, tx, engine, lease); err != nil {
			return nil, err
		}
		var taken []store.Owner
		for _, project := range projects {
			o, err := take(ctx, tx, engine, project, micros(s.now()))
			if err != nil {
				return nil, fmt.Errorf("take project %s: %w", project, err)
			}
			if o != nil {
				taken = append(taken, *o)
			}
		}
		return taken, nil
	})
}

// take returns nil for a project that another engine owns.
func take(ctx context.Context, tx *txn, engine, project string, now int64) (*store.Owner, error) {
	was, err := tx.Owner(ctx, project)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	if was.Held == 1 && was.Engine != engine && was.LeaseUntil > now {
		return nil, nil
	}
	if err := tx.PutOwner(ctx, query.PutOwnerParams{Project: project, Engine: engine}); err != nil {
		return nil, err
	}
	return &store.Owner{Project: project, Engine: engine, Fence: was.Fence + 1}, nil
}

func (s *Store) renew(ctx context.Context, tx *txn, engine string, lease time.Duration) error {
	if err := s.alive(ctx, tx, engine); err != nil {
		return err
	}
	now := s.now()
	if planted.Is("ownclock") {
		now = time.Now()
	}
	n, err := tx.RenewEngine(ctx, query.RenewEngineParams{LeaseUntil: micros(now.Add(lease)), ID: engine})
	if err != nil {
		return fmt.Errorf("renew the lease of %s: %w", engine, err)
	}
	if n == 0 {
		return fmt.Errorf("engine %s: %w", engine, store.ErrNotFound)
	}
	return nil
}

func owned(ctx context.Context, tx *txn, engine string) ([]store.Owner, error) {
	rows, err := tx.Owned(ctx, engine)
	if err != nil {
		return nil, fmt.Errorf("projects of %s: %w", engine, err)
	}
	all := make([]store.Owner, len(rows))
	for i, r := range rows {
		all[i] = store.Owner{Project: r.Project, Engine: engine, Fence: r.Fence, Idle: r.Idle != 0}
	}
	return all, nil
}

// owning changes who owns what. A file that is no longer in its place is no database that
// other engines see.
func (s *Store) owning(ctx context.Context, do func(context.Context, *txn) ([]store.Owner, error)) ([]store.Owner, error) {
	if err := s.present(); err != nil {
		return nil, err
	}
	var owners []store.Owner
	err := s.writer.commitLazily(ctx, func(ctx context.Context, tx *txn) (err error) {
		owners, err = do(ctx, tx)
		return err
	})
	if err != nil {
		return nil, s.explain(err)
	}
	return owners, nil
}

// Leave ends an engine's lease.
func (s *Store) Leave(ctx context.Context, engine string) error {
	_, err := s.owning(ctx, func(ctx context.Context, tx *txn) ([]store.Owner, error) {
		if err := s.alive(ctx, tx, engine); err != nil {
			return nil, err
		}
		return nil, tx.LetEngineGo(ctx, engine)
	})
	return err
}

// Yield gives projects back.
func (s *Store) Yield(ctx context.Context, owned []store.Owner) error {
	_, err := s.owning(ctx, func(ctx context.Context, tx *txn) ([]store.Owner, error) {
		for _, o := range owned {
			n, err := tx.LetProjectGo(ctx, query.LetProjectGoParams{Project: o.Project, Fence: o.Fence})
			if err != nil {
				return nil, fmt.Errorf("give project %s back: %w", o.Project, err)
			}
			if n == 0 {
				continue
			}
			if err := tx.RaiseOpen(ctx, query.RaiseOpenParams{Now: micros(s.now()), Project: o.Project}); err != nil {
				return nil, fmt.Errorf("hints of project %s: %w", o.Project, err)
			}
			tx.raised = true
		}
		return nil, nil
	})
	return err
}

// OwnerOf is the engine that owns a project.
func (s *Store) OwnerOf(ctx context.Context, project string) (store.Engine, error) {
	row, err := s.read.OwnerEngine(ctx, query.OwnerEngineParams{Project: project, Now: micros(s.now())})
	if err != nil {
		return store.Engine{}, s.missing(err, "owner of "+project)
	}
	return store.Engine{ID: row.ID, Host: row.Host, Place: row.Place}, nil
}

// Forget removes engines that nothing was heard of for so long.
func (s *Store) Forget(ctx context.Context, silent time.Duration) ([]string, error) {
	var gone []string
	_, err := s.owning(ctx, func(ctx context.Context, tx *txn) (_ []store.Owner, err error) {
		if gone, err = tx.ForgetEngines(ctx, micros(s.now().Add(-silent))); err != nil {
			return nil, fmt.Errorf("forget engines: %w", err)
		}
		for _, id := range gone {
			if err := tx.ForgetLife(ctx, id); err != nil {
				return nil, fmt.Errorf("forget the lives of %s: %w", id, err)
			}
		}
		return nil, nil
	})
	slices.Sort(gone)
	return gone, err
}

// Adrift lists projects that somebody should own.
func (s *Store) Adrift(ctx context.Context, first string, limit int) ([]store.Owner, error) {
	rows, err := s.read.Adrift(ctx, query.AdriftParams{Now: micros(s.now()), First: first, Most: sqlLimit(limit)})
	return list(s, rows, err, func(r query.AdriftRow) store.Owner {
		return store.Owner{Project: r.Project, Engine: r.Engine, Fence: r.Fence, Host: r.Host}
	})
}

// Engines lists the engines that ever enlisted.
func (s *Store) Engines(ctx context.Context) ([]store.Member, error) {
	rows, err := s.read.Engines(ctx)
	if err != nil {
		return nil, s.explain(err)
	}
	now := micros(s.now())
	var all []store.Member
	for _, r := range rows {
		if len(all) == 0 || all[len(all)-1].ID != r.ID {
			m := store.Member{Engine: store.Engine{ID: r.ID, Host: r.Host, Place: r.Place}, Alive: r.LeaseUntil > now}
			if r.LeaseUntil > 0 {
				m.Until = time.UnixMicro(r.LeaseUntil).UTC()
			}
			all = append(all, m)
		}
		if last := &all[len(all)-1]; r.Project != "" {
			last.Projects = append(last.Projects, r.Project)
		}
	}
	return all, nil
}

// fenced refuses what is done under a fence that is no longer the project's.
func fenced(ctx context.Context, tx *txn, project string, fence int64) error {
	now, err := tx.Fence(ctx, project)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("owner of project %s: %w", project, err)
	}
	if now != fence {
		return fmt.Errorf("project %s has fence %d, not %d: %w", project, now, fence, store.ErrFenced)
	}
	return nil
}

// Events are never deleted, so their rows are numbered without a gap in the order in which they
// were committed. sqlc does not know of the number.
const (
	selectPosition = "SELECT coalesce(max(rowid), 0) FROM events"
	selectMoves    = "SELECT rowid, stream FROM events WHERE rowid > ? ORDER BY rowid LIMIT CAST(? AS INTEGER)"
	// One index has the newest event of each stream with its number.
	selectMovedRuns = `SELECT id FROM runs WHERE project_id = ? AND
		(SELECT e.rowid FROM events e WHERE e.stream = 'run/' || runs.id ORDER BY e.seq DESC LIMIT 1) > ? ORDER BY id`
)

// Position is the number of the newest event.
func (s *Store) Position(ctx context.Context) (at int64, err error) {
	return at, s.explain(s.readers.QueryRowContext(ctx, selectPosition).Scan(&at))
}

// Moved lists the streams that have moved on since a position.
func (s *Store) Moved(ctx context.Context, after int64, limit int) (streams []string, at int64, err error) {
	rows, err := s.moves.QueryContext(ctx, after, sqlLimit(limit))
	if err != nil {
		return nil, 0, s.explain(err)
	}
	defer func() { err = s.explain(errors.Join(err, rows.Close())) }()
	seen := map[string]bool{}
	for at = after; rows.Next(); {
		var stream string
		if err := rows.Scan(&at, &stream); err != nil {
			return nil, 0, err
		}
		if !seen[stream] {
			seen[stream], streams = true, append(streams, stream)
		}
	}
	return streams, at, rows.Err()
}

// MovedRuns lists the runs of a project that have moved on since a position.
func (s *Store) MovedRuns(ctx context.Context, project string, after int64) (runs []string, err error) {
	rows, err := s.readers.QueryContext(ctx, selectMovedRuns, project, after)
	if err != nil {
		return nil, s.explain(err)
	}
	defer func() { err = s.explain(errors.Join(err, rows.Close())) }()
	for rows.Next() {
		var run string
		if err := rows.Scan(&run); err != nil {
			return nil, err
		}
		runs = append(runs, run)
	}
	return runs, rows.Err()
}
