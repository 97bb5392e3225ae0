// Package telemetry reports how runs go, as Prometheus metrics and OpenTelemetry
// spans. It reads events from the store after they were committed, in its own
// goroutines, so that nobody waits for it. It decides nothing, nothing that decides
// may read it, and it exports only names, classes and figures: no prompts, messages or
// paths.
package telemetry

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Source is what telemetry reads: the part of a store.Store that it needs.
type Source interface {
	Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error)
	Head(ctx context.Context, stream string) (core.Head, error)
	Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error)
	Questions(ctx context.Context) ([]store.MessageRow, error)
	Slots(ctx context.Context, stream string) ([]store.SlotRow, error)
}

// Options say what is exported, and where.
type Options struct {
	Source  Source
	Place   string // where this engine's attempts take their slots
	Version string
	Log     *slog.Logger
	Metrics bool   // figures are counted, see Handler
	Calls   *Calls // shown with the figures; nil for none
	// Owned says how many projects the engine owns, and how old its lease is; nil if it owns none.
	Owned  func() (projects int, lease time.Duration)
	Export *Export             // where spans go; nil for nowhere
	Cursor store.Documents     // keeps how far spans were sent
	Redact func(string) string // takes secrets out of what leaves
}

// grace is how long work in progress may take when an engine ends. The next engine
// sends what was not sent by then.
const grace = 3 * time.Second

// Telemetry follows all runs of an engine. Its methods may be called concurrently, and
// none of them waits for anything outside.
type Telemetry struct {
	metrics *metrics
	follow  []*follower

	stop   chan struct{}
	cancel context.CancelFunc
	work   sync.WaitGroup
}

// Open begins to follow open runs, and those whose spans were not all sent. Call it
// before the engine begins; the caller closes it.
func Open(ctx context.Context, opts Options) (*Telemetry, error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	t := &Telemetry{stop: make(chan struct{}), cancel: cancel}
	open, err := heads(ctx, opts.Source)
	if err != nil {
		cancel()
		return nil, err
	}
	count := func(string, int) {}
	if opts.Metrics {
		t.metrics = newMetrics(opts)
		count = func(outcome string, n int) { t.metrics.spans.add(float64(n), outcome) }
		f := newFollower(opts, t.metrics.take, map[string]mark{}, maps.Clone(open))
		t.metrics.present = &present{source: opts.Source, place: opts.Place, owned: opts.Owned, log: opts.Log}
		t.follow = append(t.follow, f)
		t.work.Go(func() { f.run(running, t.stop) })
	}
	if opts.Export != nil {
		c, err := readCursor(ctx, opts.Cursor)
		if err != nil {
			opts.Log.Warn("cannot read how far traces were sent; those of open runs are sent again", "error", err)
		}
		x := newExporter(opts, c, count)
		f := newFollower(opts, x.take, x.behind(open), nil)
		t.follow = append(t.follow, f)
		t.work.Go(func() {
			defer close(x.queue)
			f.run(running, t.stop)
		})
		t.work.Go(func() { x.run(running, t.stop) })
	}
	return t, nil
}

// heads are the open runs, each with its newest event.
func heads(ctx context.Context, source Source) (map[string]mark, error) {
	rows, err := source.Runs(ctx, store.Filter{Open: true})
	if err != nil {
		return nil, err
	}
	open := make(map[string]mark, len(rows))
	for _, row := range rows {
		head, err := source.Head(ctx, core.RunStream(row.ID))
		if err != nil {
			return nil, err
		}
		open[row.ID] = mark{after: head.Seq}
	}
	return open, nil
}

// Saw reports that a run has moved on by events, which the source has. It returns at
// once.
func (t *Telemetry) Saw(run *core.Run, events []core.Event) {
	if len(events) == 0 {
		return
	}
	ends := slices.ContainsFunc(events, func(e core.Event) bool {
		return e.Type == core.TypeRunCompleted || e.Type == core.TypeRunFailed || e.Type == core.TypeRunCancelled
	})
	if run.Status.Terminal() && !ends {
		return // it was told to its end
	}
	for _, f := range t.follow {
		f.moved(run.ID, mark{after: events[0].Seq - 1, ended: ends}, events[len(events)-1].Seq)
	}
}

// Handler serves the metrics; nil if they are not counted.
func (t *Telemetry) Handler() http.Handler {
	if t.metrics == nil {
		return nil
	}
	return t.metrics.handler()
}

// Store tells of the hints that an engine took from a store.
func (t *Telemetry) Store(s store.Store) store.Store { return &hinted{s, t} }

type hinted struct {
	store.Store
	telemetry *Telemetry
}

// Rest implements store.Store.
func (h *hinted) Rest(ctx context.Context, hint store.Hint) error {
	h.telemetry.Woken(hint.DueSeq > 0)
	return h.Store.Rest(ctx, hint)
}

// Woken counts looks at streams: because something happened to them, or because a
// timer is due.
func (t *Telemetry) Woken(due bool) {
	if t.metrics != nil {
		t.metrics.wakes.add(1, map[bool]string{true: "due", false: "event"}[due])
	}
}

// Called counts a call to a forge.
func (t *Telemetry) Called(forge, operation string, took time.Duration, err error) {
	if t.metrics != nil {
		t.metrics.called(forge, operation, took, err)
	}
}

// Close exports what is left, for a moment at most.
func (t *Telemetry) Close() {
	late := time.AfterFunc(grace, t.cancel)
	defer late.Stop()
	close(t.stop)
	t.work.Wait()
	t.cancel()
}
