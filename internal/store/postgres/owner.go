package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
)

// Enlist begins a life of an engine.
func (s *Store) Enlist(ctx context.Context, e store.Engine, lease time.Duration) ([]store.Owner, error) {
	life, err := s.q.Enlist(ctx, query.EnlistParams{Me: e.ID, Host: e.Host, Place: e.Place, Lease: lease.Seconds()})
	if err != nil {
		return nil, explain("enlist "+e.ID, err)
	}
	s.lives.Store(e.ID, life)
	return s.owned(ctx, e.ID)
}

// life is which life of an engine enlisted here, 0 for none.
func (s *Store) life(engine string) int64 {
	life, _ := s.lives.Load(engine)
	n, _ := life.(int64)
	return n
}

// Renew has an engine's lease last from now.
func (s *Store) Renew(ctx context.Context, engine string, lease time.Duration) ([]store.Owner, error) {
	known, err := s.q.Renew(ctx, query.RenewParams{Me: engine, Life: s.life(engine), Lease: lease.Seconds()})
	if err != nil {
		return nil, outlived(engine, err)
	}
	if !known {
		return nil, fmt.Errorf("engine %s: %w", engine, store.ErrNotFound)
	}
	return s.owned(ctx, engine)
}

// outlived says that an engine has begun another life, or what else went wrong.
func outlived(engine string, err error) error {
	if pg.Code(err) == codeFenced {
		return fmt.Errorf("engine %s has begun another life: %w", engine, store.ErrFenced)
	}
	return explain("lease of "+engine, err)
}

func (s *Store) owned(ctx context.Context, engine string) ([]store.Owner, error) {
	rows, err := s.q.Owned(ctx, engine)
	return list("projects of "+engine, rows, err, func(r query.OwnedRow) store.Owner {
		return store.Owner{Project: r.Project, Engine: engine, Fence: r.Fence, Idle: r.Idle}
	})
}

// Take makes an engine the owner of those projects that have no other.
func (s *Store) Take(ctx context.Context, engine string, lease time.Duration, projects []string) ([]store.Owner, error) {
	if projects == nil {
		projects = []string{}
	}
	answer, err := s.q.TakeProjects(ctx, query.TakeProjectsParams{Me: engine, Life: s.life(engine), Lease: lease.Seconds(), Wanted: projects})
	if err != nil {
		return nil, outlived(engine, err)
	}
	if answer == "" {
		return nil, fmt.Errorf("engine %s: %w", engine, store.ErrNotFound)
	}
	var taken []store.Owner
	if err := json.Unmarshal([]byte(answer), &taken); err != nil {
		return nil, fmt.Errorf("read which projects were taken: %w", err)
	}
	for i := range taken {
		taken[i].Engine = engine
	}
	return taken, nil
}

// Leave ends an engine's lease.
func (s *Store) Leave(ctx context.Context, engine string) error {
	if err := s.q.Leave(ctx, query.LeaveParams{Me: engine, Life: s.life(engine)}); err != nil {
		return outlived(engine, err)
	}
	return nil
}

// Yield gives projects back.
func (s *Store) Yield(ctx context.Context, owned []store.Owner) error {
	p := query.YieldProjectsParams{Projects: make([]string, len(owned)), Fences: make([]int64, len(owned))}
	for i, o := range owned {
		p.Projects[i], p.Fences[i] = o.Project, o.Fence
	}
	told, err := s.q.YieldProjects(ctx, p)
	if told {
		s.signal()
	}
	return explain("give projects back", err)
}

// OwnerOf is the engine that owns a project.
func (s *Store) OwnerOf(ctx context.Context, project string) (store.Engine, error) {
	row, err := s.q.OwnerEngine(ctx, project)
	if err != nil {
		return store.Engine{}, missing("owner of "+project, err)
	}
	return store.Engine{ID: row.ID, Host: row.Host, Place: row.Place}, nil
}

// Forget removes engines that nothing was heard of for so long.
func (s *Store) Forget(ctx context.Context, silent time.Duration) ([]string, error) {
	gone, err := s.q.Forget(ctx, silent.Seconds())
	slices.Sort(gone)
	return gone, explain("forget engines", err)
}

// Adrift lists projects that somebody should own.
func (s *Store) Adrift(ctx context.Context, first string, limit int) ([]store.Owner, error) {
	rows, err := s.q.Adrift(ctx, query.AdriftParams{First: first, Most: most(limit)})
	return list("projects adrift", rows, err, func(r query.AdriftRow) store.Owner {
		return store.Owner{Project: r.Project, Engine: r.Engine, Fence: r.Fence, Host: r.Host}
	})
}

// Engines lists the engines that ever enlisted.
func (s *Store) Engines(ctx context.Context) ([]store.Member, error) {
	rows, err := s.q.Engines(ctx)
	if err != nil {
		return nil, explain("engines", err)
	}
	var all []store.Member
	for _, r := range rows {
		if len(all) == 0 || all[len(all)-1].ID != r.ID {
			m := store.Member{Engine: store.Engine{ID: r.ID, Host: r.Host, Place: r.Place}, Alive: r.Alive}
			if r.LeaseUntil.Unix() != 0 {
				m.Until = r.LeaseUntil.UTC()
			}
			all = append(all, m)
		}
		if last := &all[len(all)-1]; r.Project != "" {
			last.Projects = append(last.Projects, r.Project)
		}
	}
	return all, nil
}

// Position is that of the newest event.
func (s *Store) Position(ctx context.Context) (int64, error) {
	at, err := s.q.Position(ctx)
	return at, explain("position", err)
}

// Moved lists the streams that have moved on since a position.
func (s *Store) Moved(ctx context.Context, after int64, limit int) (streams []string, at int64, err error) {
	rows, err := s.q.Moved(ctx, query.MovedParams{After: after, Most: most(limit)})
	if err != nil {
		return nil, 0, explain("streams that moved", err)
	}
	at = after
	seen := map[string]bool{}
	for _, r := range rows {
		at = r.Position
		if !seen[r.Stream] {
			seen[r.Stream], streams = true, append(streams, r.Stream)
		}
	}
	return streams, at, nil
}

// MovedRuns lists the runs of a project that have moved on since a position.
func (s *Store) MovedRuns(ctx context.Context, project string, after int64) ([]string, error) {
	runs, err := s.q.MovedRuns(ctx, query.MovedRunsParams{ProjectID: project, After: after})
	return runs, explain("runs that moved", err)
}
