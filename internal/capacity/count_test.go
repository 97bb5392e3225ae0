package capacity

import (
	"context"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// count is what was asked of a store: calls, the rows that answered or were written, and the bytes of the events among them.
type count struct{ calls, rows, bytes int64 }

func (c count) minus(d count) count {
	return count{c.calls - d.calls, c.rows - d.rows, c.bytes - d.bytes}
}

// tally counts by the name of the call.
type tally struct {
	mu    sync.Mutex
	asked map[string]count
}

func newTally() *tally { return &tally{asked: map[string]count{}} }

func (t *tally) add(call string, rows int, events []core.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.asked[call]
	c.calls++
	c.rows += int64(rows)
	for _, e := range events {
		c.bytes += int64(len(e.Body))
	}
	t.asked[call] = c
}

// take returns what was counted since the last time.
func (t *tally) take() map[string]count {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.asked
	t.asked = map[string]count{}
	return was
}

func total(all map[string]count) (sum count) {
	for _, c := range all {
		sum = sum.minus(count{-c.calls, -c.rows, -c.bytes})
	}
	return sum
}

// unasked has every method of a store. Calling one that is not counted is a defect of this package, and panics.
type unasked struct{ store.Store }

// counted is a store as one engine reaches it.
type counted struct {
	unasked
	db      store.Store
	tally   *tally
	signals chan struct{}
}

// one counts a call whose answer is one row at most.
func one[T any](c *counted, call string, answer T, err error) (T, error) {
	c.tally.add(call, 1, nil)
	return answer, err
}

// many counts a call and the rows of its answer.
func many[T any](c *counted, call string, rows []T, err error) ([]T, error) {
	c.tally.add(call, len(rows), nil)
	return rows, err
}

func (c *counted) Signals() <-chan struct{} { return c.signals }

func (c *counted) Now(ctx context.Context) (time.Time, error) { return c.db.Now(ctx) }

func (c *counted) Commit(ctx context.Context, commit store.Commit) error {
	c.tally.add("commit", len(commit.Events)+len(commit.Tasks)+len(commit.Messages), commit.Events)
	return c.db.Commit(ctx, commit)
}

func (c *counted) Await(ctx context.Context, stream string, claim core.Claim) error {
	c.tally.add("await", 1, nil)
	return c.db.Await(ctx, stream, claim)
}

func (c *counted) Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error) {
	events, err := c.db.Events(ctx, stream, after, limit)
	c.tally.add("events", len(events), events)
	return events, err
}

func (c *counted) Head(ctx context.Context, stream string) (core.Head, error) {
	head, err := c.db.Head(ctx, stream)
	return one(c, "head", head, err)
}

func (c *counted) Snapshot(ctx context.Context, stream string) (store.Snapshot, error) {
	s, err := c.db.Snapshot(ctx, stream)
	return one(c, "snapshot", s, err)
}

func (c *counted) Hints(ctx context.Context, engine string, limit int) ([]store.Hint, error) {
	hints, err := c.db.Hints(ctx, engine, limit)
	return many(c, "hints", hints, err)
}

func (c *counted) Raised(ctx context.Context, stream string, after int64, limit int) (int64, []core.Event, error) {
	raised, events, err := c.db.Raised(ctx, stream, after, limit)
	c.tally.add("raised", len(events), events)
	return raised, events, err
}

func (c *counted) Raise(ctx context.Context, stream string) error {
	c.tally.add("raise", 1, nil)
	return c.db.Raise(ctx, stream)
}

func (c *counted) Rest(ctx context.Context, h store.Hint) error {
	c.tally.add("rest", 1, nil)
	return c.db.Rest(ctx, h)
}

func (c *counted) NextDue(ctx context.Context, after time.Time) (*time.Time, error) {
	due, err := c.db.NextDue(ctx, after)
	return one(c, "next due", due, err)
}

func (c *counted) Run(ctx context.Context, id string) (store.RunRow, error) {
	row, err := c.db.Run(ctx, id)
	return one(c, "run", row, err)
}

func (c *counted) Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error) {
	rows, err := c.db.Runs(ctx, f)
	return many(c, "runs", rows, err)
}

func (c *counted) Project(ctx context.Context, id string) (store.ProjectRow, error) {
	row, err := c.db.Project(ctx, id)
	return one(c, "project", row, err)
}

func (c *counted) Projects(ctx context.Context, limit int) ([]store.ProjectRow, error) {
	rows, err := c.db.Projects(ctx, limit)
	return many(c, "projects", rows, err)
}

func (c *counted) Holders(ctx context.Context, kind core.ClaimKind, key string) ([]string, error) {
	holders, err := c.db.Holders(ctx, kind, key)
	return many(c, "holders", holders, err)
}

func (c *counted) Documents(ctx context.Context, kind, prefix, after string, limit int) ([]store.Document, error) {
	all, err := c.db.Documents(ctx, kind, prefix, after, limit)
	return many(c, "documents", all, err)
}

func (c *counted) Enlist(ctx context.Context, e store.Engine, lease time.Duration) ([]store.Owner, error) {
	owned, err := c.db.Enlist(ctx, e, lease)
	return many(c, "enlist", owned, err)
}

func (c *counted) Renew(ctx context.Context, engine string, lease time.Duration) ([]store.Owner, error) {
	owned, err := c.db.Renew(ctx, engine, lease)
	return many(c, "renew", owned, err)
}

func (c *counted) Leave(ctx context.Context, engine string) error {
	c.tally.add("leave", 1, nil)
	return c.db.Leave(ctx, engine)
}

func (c *counted) Adrift(ctx context.Context, first string, limit int) ([]store.Owner, error) {
	adrift, err := c.db.Adrift(ctx, first, limit)
	return many(c, "adrift", adrift, err)
}

func (c *counted) Take(ctx context.Context, engine string, lease time.Duration, projects []string) ([]store.Owner, error) {
	taken, err := c.db.Take(ctx, engine, lease, projects)
	return many(c, "take", taken, err)
}

func (c *counted) Yield(ctx context.Context, owned []store.Owner) error {
	c.tally.add("yield", len(owned), nil)
	return c.db.Yield(ctx, owned)
}

func (c *counted) Position(ctx context.Context) (int64, error) {
	at, err := c.db.Position(ctx)
	return one(c, "position", at, err)
}

func (c *counted) Moved(ctx context.Context, after int64, limit int) ([]string, int64, error) {
	streams, at, err := c.db.Moved(ctx, after, limit)
	c.tally.add("moved", len(streams), nil)
	return streams, at, err
}
