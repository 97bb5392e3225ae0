package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/sync/errgroup"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// cluster is a database with engines, processes of `stellwerk serve`, that share it.
type cluster struct {
	shop    *workshop
	address string
	reached string // the address that engines are given
	db      *pgxpool.Pool
	members []*face
	ids     []string // of the members' engines
}

func openCluster(ctx context.Context, shop *workshop, server *pgtest.Server, name string) (*cluster, error) {
	address, err := server.Create(ctx, name)
	if err != nil {
		return nil, err
	}
	db, err := pgxpool.New(ctx, address)
	return &cluster{shop: shop, address: address, reached: address, db: db}, err
}

// join starts so many more engines.
func (c *cluster) join(ctx context.Context, n int) error {
	for range n {
		dir, err := c.shop.folder("member")
		if err != nil {
			return err
		}
		f, err := openFace(ctx, c.shop, dir, "--store", c.reached)
		if err != nil {
			return err
		}
		c.members = append(c.members, f)
		list, err := f.svc.Engines(ctx)
		if err != nil {
			return err
		}
		for _, e := range list.Engines {
			if e.Here {
				c.ids = append(c.ids, e.ID)
			}
		}
		if len(c.ids) != len(c.members) {
			return errors.New("an engine does not list itself")
		}
	}
	return nil
}

// owns waits until a member owns so many projects.
func (c *cluster) owns(ctx context.Context, member, projects int) error {
	return c.until(ctx, projects, "SELECT count(*) FROM owners WHERE held AND engine = $1", c.ids[member])
}

// until waits until a query counts so many.
func (c *cluster) until(ctx context.Context, want int, query string, args ...any) error {
	const patience, pause = 10 * time.Minute, 20 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for n := 0; ; {
		err := c.db.QueryRow(ctx, query, args...).Scan(&n)
		if err == nil && n == want {
			return nil
		}
		if err == nil {
			err = sleep(ctx, pause)
		}
		if err != nil {
			return fmt.Errorf("%d of %d: %w", n, want, err)
		}
	}
}

func (c *cluster) close() error {
	var errs []error
	for _, f := range c.members {
		errs = append(errs, f.close())
	}
	c.db.Close()
	return errors.Join(errs...)
}

// settle leaves n projects in the database, each with a run that waits for a person. No engine has owned them, and each run has a hint
// that nobody has answered.
func (c *cluster) settle(ctx context.Context, n int) (runs []string, err error) {
	dir, err := c.shop.folder("settlers")
	if err != nil {
		return nil, err
	}
	l, err := layLine(ctx, c.shop, dir, c.address, nobody{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.app.Close()) }()
	l.renew()
	model, err := feature(0)
	if err != nil {
		return nil, err
	}
	for name := range model.Playbook.Agents { // one that every machine has
		model.Playbook.Agents[name] = core.Agent{Use: "command", Run: []string{"true"}}
	}
	now, err := l.parts.Store.Now(ctx)
	if err != nil {
		return nil, err
	}
	runs = make([]string, n)
	var work errgroup.Group
	work.SetLimit(32) // at once, so that commits are gathered
	for i := range runs {
		started := model
		started.Run, started.Alias = fmt.Sprintf("0199a000-0000-7000-8000-%012x", i), fmt.Sprintf("search-field-%d", i)
		started.Project, started.Branch = fmt.Sprintf("%016x", i), fmt.Sprintf("feature/search-field-%d", i)
		runs[i] = started.Run
		work.Go(func() error { return l.settle(ctx, started, now) })
	}
	return runs, work.Wait()
}

// settle registers the project of a run and brings the run in as it waits at its first gate.
func (l *line) settle(ctx context.Context, started core.RunStarted, now time.Time) error {
	name := "shop-" + started.Project
	body := core.ProjectRegistered{Project: started.Project, Name: name, URL: "https://git.example.org/" + name + ".git"}
	row := store.ProjectRow{ID: body.Project, Name: name, RepoURL: body.URL, DefaultBranch: started.Base, Status: "active", LastActivity: now, CreatedAt: now}
	if err := l.engine.Register(ctx, body, row); err != nil {
		return err
	}
	events, err := shortHistory(started, true, now)
	if err == nil {
		_, err = l.engine.Import(ctx, started.Run, events)
	}
	return err
}
