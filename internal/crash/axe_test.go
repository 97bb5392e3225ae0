package crash

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// axe counts the durable steps of an engine once it is raised, and ends the
// engine's process at one of them as a power cut would: nothing runs after it.
type axe struct {
	at     int
	after  bool
	twice  bool
	noStop bool // attempts are not stopped
	team   bool // other engines wait for this one's lease
	raised atomic.Bool
	count  atomic.Int64
	folder func(spawn.ID) string
	sparer *sparer // chooses by the step's name in place of its number; nil for none
}

func (a *axe) step(name string, do func() error) error {
	if a.sparer != nil && a.raised.Load() {
		return a.sparer.step(name, do)
	}
	due := a.raised.Load() && a.at > 0 && int(a.count.Add(1)) == a.at
	if due && !a.after {
		fall()
	}
	err := do()
	if due {
		fall()
	}
	return err
}

func fall() {
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL) // nobody is left to hear of an error
	select {}
}

func (a *axe) wrap(p *app.Parts) {
	p.Store = steppedStore{p.Store, a}
	p.Journal = steppedJournal{p.Journal, a}
	p.Folder = steppedFolder{p.Folder, a}
	p.Spawner = steppedSpawner{p.Spawner, a}
	p.Commands = steppedSpawner{p.Commands, a}
	p.Forge = steppedForge{p.Forge, a}
}

type steppedStore struct {
	store.Store
	axe *axe
}

// typesOf names a step after the events it is about.
func typesOf(events []core.Event) string {
	var types []string
	for _, e := range events {
		types = append(types, string(e.Type))
	}
	return strings.Join(types, "+")
}

func (s steppedStore) Commit(ctx context.Context, c store.Commit) error {
	return s.axe.step("commit "+typesOf(c.Events), func() error {
		err := s.Store.Commit(ctx, c)
		if s.axe.sparer != nil && err == nil {
			s.axe.sparer.come.Store(c.After + int64(len(c.Events)))
		}
		return err
	})
}

func (s steppedStore) Await(ctx context.Context, stream string, claim core.Claim) error {
	return s.axe.step("await a claim", func() error { return s.Store.Await(ctx, stream, claim) })
}

func (s steppedStore) Rest(ctx context.Context, w store.Hint) error {
	return s.axe.step("rest", func() error { return s.Store.Rest(ctx, w) })
}

func (s steppedStore) Remember(ctx context.Context, key string, verdict []byte) error {
	return s.axe.step("remember", func() error { return s.Store.Remember(ctx, key, verdict) })
}

// lease outlasts the test, unless engines share the store: one that waited for what a dead one owned would wait in vain.
func (a *axe) lease(d time.Duration) time.Duration {
	if a.team {
		return d
	}
	return 10 * waittest.Limit
}

func (s steppedStore) Enlist(ctx context.Context, e store.Engine, d time.Duration) ([]store.Owner, error) {
	owned, err := s.Store.Enlist(ctx, e, s.axe.lease(d))
	if err != nil {
		return owned, err
	}
	return owned, s.axe.step("enlist", func() error { return nil })
}

// Take is a step if it took something.
func (s steppedStore) Take(ctx context.Context, engine string, d time.Duration, projects []string) ([]store.Owner, error) {
	taken, err := s.Store.Take(ctx, engine, s.axe.lease(d), projects)
	if err != nil || len(taken) == 0 {
		return taken, err
	}
	return taken, s.axe.step("take", func() error { return nil })
}

func (s steppedStore) Yield(ctx context.Context, owned []store.Owner) error {
	return s.axe.step("yield", func() error { return s.Store.Yield(ctx, owned) })
}

type steppedJournal struct {
	engine.Journal
	axe *axe
}

func (j steppedJournal) Append(ctx context.Context, run *core.Run, events []core.Event, bodies core.Bodies) error {
	return j.axe.step("append", func() error { return j.Journal.Append(ctx, run, events, bodies) })
}

type steppedFolder struct {
	dispatch.Folder
	axe *axe
}

func (f steppedFolder) Artifact(run, stage string, round int, name string, content []byte) error {
	return f.axe.step("artifact "+name, func() error { return f.Folder.Artifact(run, stage, round, name, content) })
}

func (f steppedFolder) Transcript(run, attempt, path string, observed bool) error {
	return f.axe.step("transcript", func() error { return f.Folder.Transcript(run, attempt, path, observed) })
}

type steppedSpawner struct {
	spawn.Spawner
	axe *axe
}

func (s steppedSpawner) Start(ctx context.Context, order spawn.Order) error {
	return s.axe.step("start", func() error {
		if err := s.Spawner.Start(ctx, order); err != nil || !s.axe.twice {
			return err
		}
		return startAgain(s.axe.folder(order.ID))
	})
}

func (s steppedSpawner) Kill(ctx context.Context, id spawn.ID) error {
	if s.axe.noStop {
		<-ctx.Done()
		return ctx.Err()
	}
	return s.axe.step("stop", func() error { return s.Spawner.Kill(ctx, id) })
}

// startAgain does what a second engine would do that saw nothing of the first
// one's shim.
func startAgain(folder string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	shim := exec.Command(self, "worker", "run", folder)
	shim.Dir, shim.SysProcAttr = folder, &syscall.SysProcAttr{Setsid: true}
	if err := shim.Start(); err != nil {
		return err
	}
	go func() { _ = shim.Wait() }() // the folder says how the attempt went
	return nil
}

type steppedForge struct {
	forge.Forge
	axe *axe
}

func (f steppedForge) Open(ctx context.Context, req forge.PullRequest) (url string, number int, err error) {
	err = f.axe.step("open a pull request", func() (err error) {
		url, number, err = f.Forge.Open(ctx, req)
		return err
	})
	return url, number, err
}
