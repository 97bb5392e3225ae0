package simulate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// port is the store as one engine reaches it: every call waits for its turn at the gate, and so does the answer to one that
// changes something. What it does not name, engines do not use here.
type port struct {
	store.Store
	by      *member
	sim     *sim
	signals chan struct{}
}

// ask is a call that changes nothing.
func ask[T any](ctx context.Context, p *port, key string, do func() (T, error)) (answer T, err error) {
	if err := p.sim.gate.pass(ctx, p.by, true, key); err != nil {
		return answer, err
	}
	return do()
}

// change is a call that changes something. Its answer is on its way for a while: an engine may die or stand still before
// it hears what it did. Whoever stops waiting does not hear it, unless the outcome is always awaited.
func change[T any](ctx context.Context, p *port, key string, awaited bool, do func() (T, error)) (answer T, err error) {
	if err := p.sim.gate.pass(ctx, p.by, true, key); err != nil {
		return answer, err
	}
	answer, err = do()
	if awaited {
		ctx = context.WithoutCancel(ctx)
	}
	if lost := p.sim.gate.pass(ctx, p.by, true, "answer to "+key); lost != nil {
		if awaited && !p.by.dead.Load() { // the store went away, with the outcome known
			return answer, err
		}
		return answer, lost
	}
	return answer, err
}

type none = struct{}

func failing(err error) (none, error) { return none{}, err }

func (p *port) Now(ctx context.Context) (time.Time, error) {
	if p.by.cut.Load() {
		return time.Time{}, errGone
	}
	return p.Store.Now(ctx)
}

func (p *port) Signals() <-chan struct{} { return p.signals }

func (p *port) Commit(ctx context.Context, c store.Commit) error {
	types := make([]string, len(c.Events))
	for i, e := range c.Events {
		types[i] = string(e.Type)
	}
	key := fmt.Sprintf("commit %s after %d under %d: %s", c.Stream, c.After, c.Fence, strings.Join(types, " "))
	_, err := change(ctx, p, key, true, func() (none, error) {
		p.sim.moved = true
		err := p.Store.Commit(ctx, c)
		if newest := p.sim.newest[c.Of]; err == nil && c.Fence != 0 && c.Fence < newest {
			p.sim.breach("fence: %s committed to %s under fence %d, and the owner has %d", p.by.id, c.Stream, c.Fence, newest)
		}
		return failing(err)
	})
	return err
}

func (p *port) Await(ctx context.Context, stream string, c core.Claim) error {
	_, err := ask(ctx, p, "await "+stream, func() (none, error) { return failing(p.Store.Await(ctx, stream, c)) })
	return err
}

func (p *port) Rest(ctx context.Context, h store.Hint) error {
	_, err := change(ctx, p, fmt.Sprintf("rest %+v", h), true, func() (none, error) { return failing(p.Store.Rest(ctx, h)) })
	return err
}

func (p *port) Raise(ctx context.Context, stream string) error {
	_, err := change(ctx, p, "raise "+stream, true, func() (none, error) { return failing(p.Store.Raise(ctx, stream)) })
	return err
}

func (p *port) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	return ask(ctx, p, fmt.Sprint("events ", stream, after), func() ([]core.Event, error) { return p.Store.Events(ctx, stream, after, limit) })
}

func (p *port) Head(ctx context.Context, stream string) (core.Head, error) {
	return ask(ctx, p, "head "+stream, func() (core.Head, error) { return p.Store.Head(ctx, stream) })
}

func (p *port) Snapshot(ctx context.Context, stream string) (store.Snapshot, error) {
	return ask(ctx, p, "snapshot "+stream, func() (store.Snapshot, error) { return p.Store.Snapshot(ctx, stream) })
}

func (p *port) Hints(ctx context.Context, engine string, limit int) ([]store.Hint, error) {
	return ask(ctx, p, "hints", func() ([]store.Hint, error) { return p.Store.Hints(ctx, engine, limit) })
}

func (p *port) Raised(ctx context.Context, stream string, after int64, limit int) (raised int64, news []core.Event, err error) {
	news, err = ask(ctx, p, "raised "+stream, func() (n []core.Event, err error) {
		raised, n, err = p.Store.Raised(ctx, stream, after, limit)
		return n, err
	})
	return raised, news, err
}

func (p *port) NextDue(ctx context.Context, after time.Time) (*time.Time, error) {
	return ask(ctx, p, "next due", func() (*time.Time, error) { return p.Store.NextDue(ctx, after) })
}

func (p *port) Run(ctx context.Context, id string) (store.RunRow, error) {
	return ask(ctx, p, "run "+id, func() (store.RunRow, error) { return p.Store.Run(ctx, id) })
}

func (p *port) Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error) {
	return ask(ctx, p, fmt.Sprintf("runs %+v", f), func() ([]store.RunRow, error) { return p.Store.Runs(ctx, f) })
}

func (p *port) Project(ctx context.Context, id string) (store.ProjectRow, error) {
	return ask(ctx, p, "project "+id, func() (store.ProjectRow, error) { return p.Store.Project(ctx, id) })
}

func (p *port) Projects(ctx context.Context, limit int) ([]store.ProjectRow, error) {
	return ask(ctx, p, "projects", func() ([]store.ProjectRow, error) { return p.Store.Projects(ctx, limit) })
}

func (p *port) Slots(ctx context.Context, stream string) ([]store.SlotRow, error) {
	return ask(ctx, p, "slots "+stream, func() ([]store.SlotRow, error) { return p.Store.Slots(ctx, stream) })
}

func (p *port) Documents(ctx context.Context, kind, prefix, after string, limit int) ([]store.Document, error) {
	return ask(ctx, p, fmt.Sprint("documents ", kind, prefix), func() ([]store.Document, error) { return p.Store.Documents(ctx, kind, prefix, after, limit) })
}

func (p *port) Position(ctx context.Context) (int64, error) {
	return ask(ctx, p, "position", func() (int64, error) { return p.Store.Position(ctx) })
}

func (p *port) Moved(ctx context.Context, after int64, limit int) (streams []string, position int64, err error) {
	streams, err = ask(ctx, p, fmt.Sprint("moved ", after), func() (all []string, err error) {
		all, position, err = p.Store.Moved(ctx, after, limit)
		return all, err
	})
	return streams, position, err
}

func (p *port) Enlist(ctx context.Context, e store.Engine, d time.Duration) ([]store.Owner, error) {
	return change(ctx, p, "enlist", false, func() ([]store.Owner, error) {
		owned, err := p.Store.Enlist(ctx, e, d)
		p.sim.took(p.by, owned)
		return owned, err
	})
}

func (p *port) Renew(ctx context.Context, id string, d time.Duration) ([]store.Owner, error) {
	return change(ctx, p, "renew", false, func() ([]store.Owner, error) { return p.Store.Renew(ctx, id, d) })
}

func (p *port) Take(ctx context.Context, id string, d time.Duration, projects []string) ([]store.Owner, error) {
	return change(ctx, p, fmt.Sprint("take ", projects), false, func() ([]store.Owner, error) {
		taken, err := p.Store.Take(ctx, id, d, projects)
		p.sim.took(p.by, taken)
		return taken, err
	})
}

func (p *port) Adrift(ctx context.Context, first string, limit int) ([]store.Owner, error) {
	return ask(ctx, p, "adrift "+first, func() ([]store.Owner, error) { return p.Store.Adrift(ctx, first, limit) })
}

func (p *port) Yield(ctx context.Context, owned []store.Owner) error {
	_, err := change(ctx, p, fmt.Sprintf("yield %+v", owned), true, func() (none, error) {
		for _, o := range owned {
			p.sim.gaveBack(p.by, o.Project)
		}
		return failing(p.Store.Yield(ctx, owned))
	})
	return err
}

func (p *port) Leave(ctx context.Context, id string) error {
	_, err := change(ctx, p, "leave", true, func() (none, error) {
		p.sim.gaveBack(p.by, "")
		return failing(p.Store.Leave(ctx, id))
	})
	return err
}
