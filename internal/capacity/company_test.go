package capacity

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// How long things take in the working day of a company.
const (
	moment   = 2 * time.Second  // an effect of the engine's own
	attempt  = 10 * time.Minute // an agent at work
	hour     = time.Hour        // within which people start all runs, and later approve them
	still    = 10 * time.Minute // how long nothing happens, to see what that costs
	patience = 48 * time.Hour   // after which something hangs
)

// company is a number of projects, people who start runs in some of them, and the engines that work on those.
type company struct {
	t        *testing.T
	ctx      context.Context
	db       store.Store
	projects int
	runs     int // each in a project of its own
	engines  int
	hurry    int64 // how many times faster than people and agents everything is; 1 in virtual time
	tally    *tally
	lives    []*life
	signals  sync.WaitGroup
}

func (co *company) project(n int) string { return fmt.Sprintf("p%07d", n) }

// started is the project of a run: they are spread over all projects.
func (co *company) started(run int) string { return co.project(run * (co.projects / co.runs)) }

// rest waits in the company's time; false if ctx ends meanwhile.
func (co *company) rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d / time.Duration(co.hurry)):
		return true
	}
}

// until looks from time to time until something holds.
func (co *company) until(what string, every time.Duration, holds func() (bool, error)) {
	co.t.Helper()
	for end := time.Now().Add(patience); ; {
		ok, err := holds()
		switch {
		case err != nil:
			co.t.Fatalf("%s: %v", what, err)
		case ok:
			return
		case !time.Now().Before(end) || !co.rest(co.ctx, every):
			co.t.Fatalf("does not happen: %s", what)
		}
	}
}

// register has every project known, and looked at once.
func (co *company) register() {
	co.t.Helper()
	clerk := engine.New(engine.Options{Store: co.db, Journal: mute{}, Log: slog.New(slog.DiscardHandler), ID: "clerk"})
	const clerks = 8
	errs := make(chan error, clerks)
	for first := range clerks {
		go func() {
			var err error
			for n := first; n < co.projects && err == nil; n += clerks {
				id, name := co.project(n), fmt.Sprint("shop-", n)
				err = clerk.Register(co.ctx, core.ProjectRegistered{Project: id, Name: name, URL: "https://git.example/" + name + ".git"},
					store.ProjectRow{ID: id, Name: name, RepoURL: "https://git.example/" + name + ".git", Status: core.StatusActive})
			}
			errs <- err
		}()
	}
	var err error
	for range clerks {
		err = errors.Join(err, <-errs)
	}
	if err == nil {
		err = co.lookOnce()
	}
	if err != nil {
		co.t.Fatal(err)
	}
}

// lookOnce ends the first look at every project, of which nothing follows.
func (co *company) lookOnce() error {
	const piece = 10_000
	if _, err := co.db.Enlist(co.ctx, store.Engine{ID: "clerk"}, time.Hour); err != nil {
		return err
	}
	for {
		adrift, err := co.db.Adrift(co.ctx, "", piece)
		if err != nil || len(adrift) == 0 {
			return errors.Join(err, co.db.Leave(co.ctx, "clerk"))
		}
		names := make([]string, len(adrift))
		for i, o := range adrift {
			names[i] = o.Project
		}
		taken, err := co.db.Take(co.ctx, "clerk", time.Hour, names)
		if err != nil {
			return err
		}
		hints, err := co.db.Hints(co.ctx, "clerk", 2*piece)
		for _, h := range hints {
			err = errors.Join(err, co.db.Rest(co.ctx, h))
		}
		if err = errors.Join(err, co.db.Yield(co.ctx, taken)); err != nil {
			return err
		}
	}
}

// start has people start all runs within an hour, and waits until each waits for a person.
func (co *company) start() {
	co.t.Helper()
	for n := range co.runs {
		id := fmt.Sprint("r", n)
		if _, err := co.at(n).engine.Submit(co.ctx, id, core.Person("ada"), work(id, co.started(n))); err != nil {
			co.t.Fatal(err)
		}
		co.rest(co.ctx, hour/time.Duration(co.runs))
	}
	co.until("every run waits for a person", attempt/2, func() (bool, error) {
		waiting, err := co.db.Runs(co.ctx, store.Filter{Status: core.StatusAwaiting})
		return len(waiting) == co.runs, err
	})
}

// approve has people approve what waits within an hour, and waits until every run is over.
func (co *company) approve() {
	co.t.Helper()
	for n := range co.runs {
		id, at := fmt.Sprint("r", n), co.at(n).engine
		run, err := at.Load(co.ctx, id)
		if err == nil {
			_, err = at.Submit(co.ctx, id, core.Person("ada"), core.ApprovalGranted{Subject: run.Current().Gate.Subject})
		}
		if err != nil {
			co.t.Fatal(err)
		}
		co.rest(co.ctx, hour/time.Duration(co.runs))
	}
	co.until("every run is over", attempt/2, func() (bool, error) {
		open, err := co.db.Runs(co.ctx, store.Filter{Open: true, Limit: 1})
		return len(open) == 0, err
	})
}

// disowned waits until nobody owns what is to be given back, and returns how long that took.
func (co *company) disowned(whose func(store.Member) bool) time.Duration {
	co.t.Helper()
	begun := time.Now()
	co.until("projects have no owner, or another", time.Second, func() (bool, error) {
		all, err := co.db.Engines(co.ctx)
		for _, m := range all {
			if whose(m) && len(m.Projects) > 0 {
				return false, err
			}
		}
		return true, err
	})
	return time.Since(begun)
}

// at is the engine that the n-th request reaches.
func (co *company) at(n int) *life { return co.lives[n%len(co.lives)] }

// work is a run of two phases, of which the first waits for a person.
func work(id, project string) core.RunStarted {
	p := core.Playbook{Name: "p", Kind: "phases", Roles: map[string]core.Role{"dev": {Name: "dev"}}}
	for _, phase := range []string{"plan", "build"} {
		p.Phases = append(p.Phases, core.Phase{
			ID: phase, Role: "dev", Writes: core.WritesCode, Gate: core.GateAuto, Attempts: 2, Timeout: time.Hour, Done: core.Check{Kind: core.CheckAll},
		})
	}
	p.Phases[0].Gate = core.GateApproval
	limits := core.DefaultLimits()
	limits.Parallel = 1 << 20 // nobody waits for a slot
	return core.RunStarted{
		Run: id, Alias: id, Project: project, Goal: "sell tea", Title: "tea", Limits: limits, Playbook: p,
		Base: "main", BaseCommit: "c0", Branch: "feature/" + id, Isolation: "none",
	}
}
