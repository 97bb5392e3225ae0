package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/measure"
)

// What became of spans.
const (
	spanSent    = "sent"
	spanDropped = "dropped"
)

// The bounds of sending.
const (
	queueSize   = 1024                   // spans that wait to be sent; the rest wait in the store
	batchSize   = 256                    // spans of one request
	batchDelay  = 500 * time.Millisecond // for which a batch waits for more
	patience    = time.Minute            // for which a batch is tried again
	firstPause  = time.Second
	longestWait = 15 * time.Second
)

// exporter sends spans in batches, one at a time. A follower waits for it, and
// nobody else does.
type exporter struct {
	sender *sender
	cursor *cursor
	redact func(string) string
	log    *slog.Logger
	count  func(outcome string, n int)
	queue  chan span
	once   sync.Once // of saying that spans are dropped
}

func newExporter(opts Options, c *cursor, count func(string, int)) *exporter {
	return &exporter{
		sender: newSender(*opts.Export, opts.Version), cursor: c, redact: opts.Redact, log: opts.Log,
		count: count, queue: make(chan span, queueSize),
	}
}

// behind are the runs to export: the open ones, and those that ended before all their
// spans were sent.
func (x *exporter) behind(open map[string]mark) map[string]mark {
	runs := make(map[string]mark, len(open))
	for run := range open {
		runs[run] = mark{}
	}
	for run, seq := range x.cursor.all() {
		_, isOpen := open[run]
		runs[run] = mark{after: seq, ended: !isOpen}
	}
	return runs
}

// take queues what ended. It is a sink.
func (x *exporter) take(ctx context.Context, e core.Event, ended []measure.Piece) bool {
	if e.Type == core.TypeRunStarted {
		if _, run := core.StreamKind(e.Stream); x.cursor.begin(run) {
			x.save(ctx)
		}
	}
	for i, p := range ended {
		s := newSpan(p, x.redact)
		s.whole = i == len(ended)-1
		select {
		case x.queue <- s:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// run sends what is queued until the queue is closed or the context ends.
func (x *exporter) run(ctx context.Context, stop <-chan struct{}) {
	defer x.sender.client.CloseIdleConnections()
	for {
		batch := x.gather(ctx, stop)
		if len(batch) == 0 {
			return
		}
		if !x.send(ctx, stop, batch) {
			for range x.queue { // the follower can end; the next engine sends these
				continue
			}
			return
		}
		x.cursor.reached(batch)
		x.save(ctx)
	}
}

// gather waits for spans, and a little for more of them, unless the engine ends. It
// returns none once the queue is closed and empty.
func (x *exporter) gather(ctx context.Context, stop <-chan struct{}) []span {
	var batch []span
	var late <-chan time.Time // once there is one
	var ends <-chan struct{}
	for len(batch) < batchSize {
		select {
		case s, ok := <-x.queue:
			if !ok {
				return batch
			}
			if batch = append(batch, s); late == nil {
				late, ends = time.After(batchDelay), stop
			}
		case <-late:
			return batch
		case <-ends:
			if len(x.queue) == 0 {
				return batch
			}
		case <-ctx.Done():
			return batch
		}
	}
	return batch
}

// send delivers a batch. It drops a batch that is refused, or that cannot be delivered
// for long. It reports false if the engine ends first: the next one sends the batch.
func (x *exporter) send(ctx context.Context, stop <-chan struct{}, batch []span) bool {
	began, pause := time.Now(), firstPause
	for {
		result, err := x.sender.post(ctx, batch)
		switch {
		case err == nil:
			rejected := min(result.rejected, len(batch)) // it may say anything
			x.count(spanSent, len(batch)-rejected)
			x.dropped(rejected, "the receiver rejected them")
			return true
		case ctx.Err() != nil:
			return false
		case !result.again || time.Since(began) > patience:
			x.dropped(len(batch), err.Error())
			return true
		}
		timer := time.NewTimer(min(max(pause, result.after), longestWait))
		select {
		case <-timer.C:
		case <-stop:
			timer.Stop()
			return false
		case <-ctx.Done():
			timer.Stop()
			return false
		}
		pause *= 2
	}
}

// dropped counts spans that were given up, and logs the first time.
func (x *exporter) dropped(n int, why string) {
	if n == 0 {
		return
	}
	x.count(spanDropped, n)
	x.once.Do(func() {
		x.log.Warn("the receiver does not accept traces, so they are dropped; the metric stellwerk_trace_spans_total counts them", "reason", name(x.redact, why))
	})
}

func (x *exporter) save(ctx context.Context) {
	if err := x.cursor.save(ctx); err != nil {
		x.log.Warn("telemetry", "error", err)
	}
}
