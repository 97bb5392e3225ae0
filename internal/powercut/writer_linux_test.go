package powercut

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/journal"
	"github.com/stellwerk-dev/stellwerk/internal/object/folder"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

// engine is who writes. Its life ends with each cut.
const engine = "engine-1"

// writer keeps runs as an engine does, with the options of one: objects, then the commit that names them, then the run's
// folder.
type writer struct {
	*acks
	state   statefolder.Folder
	store   *sqlite.Store
	objects *folder.Folder
	journal *journal.Journal
	fence   int64
}

// write never ends by itself but by an error.
func write(ctx context.Context, dir string) error {
	w := &writer{acks: &acks{out: os.Stdout}}
	if err := w.open(ctx, dir); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return w.rest(ctx) })
	for id := range writers {
		group.Go(func() error { return w.runs(ctx, id) })
	}
	return group.Wait()
}

func (w *writer) open(ctx context.Context, dir string) (err error) {
	if w.state, err = statefolder.Open(dir); err != nil {
		return err
	}
	if _, err := statefolder.Acquire(w.state); err != nil {
		return err
	}
	if w.store, err = sqlite.Open(ctx, w.state.Database(), sqlite.Options{LazyLooks: true}); err != nil {
		return err
	}
	if w.objects, err = folder.Open(w.state.Objects()); err != nil {
		return err
	}
	w.journal = journal.New(w.state.Runs(), w.objects, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	if _, err := w.store.Enlist(ctx, store.Engine{ID: engine}, time.Hour); err != nil {
		return err
	}
	owned, err := w.store.Take(ctx, engine, time.Hour, []string{project})
	if err == nil && len(owned) != 1 {
		err = fmt.Errorf("took %v", owned)
	}
	if err != nil {
		return err
	}
	w.fence = owned[0].Fence
	return nil
}

// rest ends looks at streams, and remembers verdicts, which need not wait for the disk. So commits that do come after
// some that did not.
func (w *writer) rest(ctx context.Context) error {
	for n := 0; ; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.store.Signals():
		}
		hints, err := w.store.Hints(ctx, engine, 100)
		if err != nil {
			return err
		}
		for _, hint := range hints {
			if err := w.store.Rest(ctx, hint); err != nil {
				return err
			}
		}
		if err := w.store.Remember(ctx, fmt.Sprint("check-", n%50), []byte("passed")); err != nil {
			return err
		}
	}
}

// runs writes one run after the other.
func (w *writer) runs(ctx context.Context, id int) error {
	for n := 0; ; n++ {
		if err := w.run(ctx, runID(id, n)); err != nil {
			return fmt.Errorf("writer %d, run %d: %w", id, n, err)
		}
		if err := w.count(ctx, fmt.Sprint("writer-", id)); err != nil {
			return err
		}
		if n%3 == id%3 {
			if err := w.backup(ctx, fmt.Sprintf("%d-%d.db", id, n)); err != nil {
				return err
			}
		}
	}
}

// run goes on with a run where it stands.
func (w *writer) run(ctx context.Context, id string) error {
	t := tale{writer: w, id: id}
	if err := t.load(ctx); err != nil {
		return err
	}
	steps := script(id)
	done, whole := next(steps, t.head.Seq)
	if !whole {
		return fmt.Errorf("%d events end within step %d", t.head.Seq, done)
	}
	for _, s := range steps[done:] {
		if err := t.tell(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// count replaces a document.
func (w *writer) count(ctx context.Context, key string) error {
	d, err := w.store.Document(ctx, "count", key)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	n := 0
	if err == nil {
		if err := json.Unmarshal(d.Data, &n); err != nil {
			return err
		}
		if err := w.say(ack{Document: key, Version: d.Version, Count: n}); err != nil {
			return err
		}
	}
	d, err = w.store.PutDocument(ctx, store.Document{Kind: "count", Key: key, Version: d.Version, Data: []byte(fmt.Sprint(n + 1))})
	if err != nil {
		return err
	}
	return w.say(ack{Document: key, Version: d.Version, Count: n + 1})
}

// backup copies the database beside it, unless a life before this one did.
func (w *writer) backup(ctx context.Context, name string) error {
	path := filepath.Join(w.state.Dir, name)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := w.store.Backup(ctx, path); err != nil {
		return err
	}
	return w.say(ack{Backup: name})
}

// tale is a run that is written.
type tale struct {
	*writer
	id   string
	run  *core.Run
	head core.Head
}

// load reads the run, and completes its folder. What has survived a cut is as good as acknowledged: it survives the next.
func (t *tale) load(ctx context.Context) error {
	events, err := t.store.Events(ctx, core.RunStream(t.id), 0, 0)
	if err != nil || len(events) == 0 {
		return err
	}
	if t.run, err = folded(events); err != nil {
		return err
	}
	if t.head, err = core.VerifyChain(core.Head{}, events); err != nil {
		return err
	}
	if err := t.say(ack{Stream: core.RunStream(t.id), Head: &t.head}); err != nil {
		return err
	}
	return completeFolder(ctx, t.journal, t.run, events)
}

// completeFolder appends what a folder lacks, as an engine does when it starts.
func completeFolder(ctx context.Context, j *journal.Journal, run *core.Run, events []core.Event) error {
	have, err := j.Seq(ctx, run)
	if err != nil || have == int64(len(events)) {
		return err
	}
	return j.Append(ctx, run, events[have:], core.Bodies{})
}

func folded(events []core.Event) (run *core.Run, err error) {
	for _, e := range events {
		if run, err = core.Fold(run, e); err != nil {
			return nil, err
		}
	}
	return run, nil
}

// tell puts the objects of a step, commits it, and writes the folder.
func (t *tale) tell(ctx context.Context, s step) error {
	for _, content := range s.objects {
		digest, _, err := t.objects.Put(ctx, strings.NewReader(content), 0)
		if err == nil {
			err = t.say(ack{Object: digest})
		}
		if err != nil {
			return err
		}
	}
	events, err := t.commit(ctx, s)
	if err == nil {
		err = t.say(ack{Stream: core.RunStream(t.id), Head: &t.head})
	}
	if err == nil {
		err = t.journal.Append(ctx, t.run, events, core.Bodies{})
	}
	if err != nil {
		return err
	}
	return t.say(ack{Run: t.id, Seq: t.head.Seq})
}

func (t *tale) commit(ctx context.Context, s step) ([]core.Event, error) {
	now, err := t.store.Now(ctx)
	if err != nil {
		return nil, err
	}
	c := store.Commit{Stream: core.RunStream(t.id), Of: project, Fence: t.fence, After: t.head.Seq}
	head, run := t.head, t.run
	if run != nil {
		run = run.Clone()
	}
	for _, body := range s.bodies {
		var e core.Event
		if e, head, err = core.Seal(c.Stream, head, now, s.actor, "", body); err != nil {
			return nil, err
		}
		c.Events = append(c.Events, e)
		run = core.FoldBody(run, e, body)
	}
	c.Run = &store.RunRow{ID: t.id, Alias: t.id, Project: project, Status: run.Status, Tokens: head.Seq, StartedAt: run.StartedAt, UpdatedAt: now}
	c.Snapshot = &store.Snapshot{Head: head, Format: 1, State: []byte(head.Hash)}
	if err := t.store.Commit(ctx, c); err != nil {
		return nil, err
	}
	t.head, t.run = head, run
	return c.Events, nil
}
