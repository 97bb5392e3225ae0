package fleet

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// lease is how long an engine that is not heard of keeps its projects here.
const lease = 300 * time.Millisecond

// mute is a journal that nobody reads.
type mute struct{}

func (mute) Append(context.Context, *core.Run, []core.Event, core.Bodies) error { return nil }
func (mute) Seq(_ context.Context, r *core.Run) (int64, error)                  { return r.Stream.Seq, nil }

// member is one of several engines on a store.
type member struct {
	store  store.Store
	engine *engine.Engine
	hand   *hand
	cancel context.CancelFunc
	done   chan error
}

// newMember makes an engine that does not run yet. Without wrap it is one that a test may stop.
func newMember(ctx context.Context, dir, id string, wrap func(store.Store) store.Store, log *slog.Logger) (*member, error) {
	db, brakes, err := openStore(ctx, dir)
	if err != nil {
		return nil, err
	}
	if brakes && wrap == nil {
		wrap = func(s store.Store) store.Store { return braked{s, world{dir}} }
	} else if wrap == nil {
		wrap = func(s store.Store) store.Store { return s }
	}
	m := &member{store: db, done: make(chan error, 1)}
	m.engine = engine.New(engine.Options{
		Store: wrap(db), Journal: mute{}, Deciders: []core.Decider{phases.Decider{}}, Log: log,
		ID: id, Host: "host of " + id, Lease: lease, Look: lease / 10, Retry: lease, SnapshotEvery: 5, // runs are short
	})
	ctx, m.cancel = context.WithCancel(ctx)
	m.hand = &hand{id: id, world: world{dir}, engine: m.engine, log: log, ctx: ctx, flight: map[string]*job{}}
	m.engine.SetDispatcher(m.hand)
	return m, nil
}

func (m *member) run() { go func() { m.done <- m.engine.Run(m.hand.ctx) }() }

// fall ends an engine that runs without telling anybody.
func (m *member) fall() error {
	m.cancel()
	err := <-m.done
	m.hand.work.Wait()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return errors.Join(err, m.store.Close())
}

// leave ends an engine that runs in order.
func (m *member) leave() error {
	m.cancel()
	err := <-m.done
	m.hand.work.Wait()
	return errors.Join(err, m.engine.Leave(context.Background()), m.store.Close())
}

// braked is a store whose transactions no test stops a process in.
type braked struct {
	store.Store
	world world
}

func (b braked) Commit(ctx context.Context, c store.Commit) error {
	return b.world.unstopped(func() error { return b.Store.Commit(ctx, c) })
}

func (b braked) Rest(ctx context.Context, h store.Hint) error {
	return b.world.unstopped(func() error { return b.Store.Rest(ctx, h) })
}

func (b braked) Await(ctx context.Context, stream string, c core.Claim) error {
	return b.world.unstopped(func() error { return b.Store.Await(ctx, stream, c) })
}

func (b braked) Enlist(ctx context.Context, e store.Engine, d time.Duration) (owned []store.Owner, err error) {
	err = b.world.unstopped(func() (err error) { owned, err = b.Store.Enlist(ctx, e, d); return err })
	return owned, err
}

func (b braked) Renew(ctx context.Context, id string, d time.Duration) (owned []store.Owner, err error) {
	err = b.world.unstopped(func() (err error) { owned, err = b.Store.Renew(ctx, id, d); return err })
	return owned, err
}

func (b braked) Take(ctx context.Context, id string, d time.Duration, projects []string) (taken []store.Owner, err error) {
	err = b.world.unstopped(func() (err error) { taken, err = b.Store.Take(ctx, id, d, projects); return err })
	return taken, err
}

func (b braked) Yield(ctx context.Context, owned []store.Owner) error {
	return b.world.unstopped(func() error { return b.Store.Yield(ctx, owned) })
}

func (b braked) Leave(ctx context.Context, id string) error {
	return b.world.unstopped(func() error { return b.Store.Leave(ctx, id) })
}
