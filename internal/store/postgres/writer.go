package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/store/postgres/query"
)

// Bounds of a batch, and so of how long the first of its writes waits for the last. Ends of looks come by the thousand when an engine
// looks at all that it did a moment ago. What somebody waits for must not wait behind them, so few of them go with each call.
const (
	maxBatch      = 64
	maxBatchBytes = 4 << 20
	maxRests      = 12
)

const (
	callTime   = 30 * time.Second // of one call
	firstPause = 20 * time.Millisecond
	mostPause  = time.Second
)

// writer sends writes to the database. Those that wait at the same time share a call, and so a transaction and its flush; each still
// succeeds or fails whole and by itself.
type writer struct {
	q         *query.Queries
	clock     *clock
	signal    func()
	queue     chan *write
	rests     chan *write   // lazy ones
	done      chan struct{} // closed when the loop has ended
	mayBeLazy bool
	silence   time.Duration // for how long the server may say nothing to the first call
	name      string        // in notifications, no other writer's

	mu     sync.RWMutex // held shared while queueing, so that end can close the queue
	closed bool
}

// write is one caller's change.
type write struct {
	ctx    context.Context
	op     op
	text   json.RawMessage // op as the database gets it
	bodies [][]byte
	lazy   bool // may be undone by a failure of the server
	again  bool // it was sent before, and nobody knows what became of it
	result chan error
}

func newWrite(ctx context.Context, o op, lazy bool) (*write, error) {
	r := &write{ctx: ctx, op: o, lazy: lazy, result: make(chan error, 1)}
	var err error
	r.text, err = o.encode(&r.bodies)
	return r, err
}

func newWriter(q *query.Queries, o Options, c *clock, signal func()) *writer {
	w := &writer{
		q: q, clock: c, signal: signal, queue: make(chan *write, maxBatch), rests: make(chan *write, maxRests), done: make(chan struct{}),
		mayBeLazy: o.LazyLooks, silence: cmp.Or(o.Silence, pg.Silence), name: rand.Text(),
	}
	go w.loop()
	return w
}

// do carries out a change and returns once it is durable. A context that ends before it is sent means nothing happens. Afterwards the
// outcome is awaited; it is in doubt only if the database went away and nobody who shares the call waits any more.
func (w *writer) do(ctx context.Context, o op, lazy bool) error {
	r, err := newWrite(ctx, o, lazy && w.mayBeLazy)
	if err != nil {
		return err
	}
	if err := w.enqueue(r); err != nil {
		return err
	}
	return <-r.result
}

func (r *write) size() int {
	n := len(r.text)
	for _, b := range r.bodies {
		n += len(b)
	}
	return n
}

func (w *writer) enqueue(r *write) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	if w.closed {
		return core.Errorf(core.CodeUnavailable, "the database is closed")
	}
	queue := w.queue
	if r.lazy {
		queue = w.rests
	}
	select {
	case queue <- r:
		return nil
	case <-r.ctx.Done():
		return r.ctx.Err()
	}
}

// end takes no more writes and waits for those under way.
func (w *writer) end() {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.queue)
		close(w.rests)
	}
	w.mu.Unlock()
	<-w.done
}

func (w *writer) loop() {
	defer close(w.done)
	for queue, rests := w.queue, w.rests; queue != nil || rests != nil; {
		var first *write
		var ok bool
		select {
		case first, ok = <-queue:
			if !ok {
				queue = nil
			}
		case first, ok = <-rests:
			if !ok {
				rests = nil
			}
		}
		if ok {
			w.run(w.gather(first))
		}
	}
}

// gather adds to first what waits behind it already.
func (w *writer) gather(first *write) []*write {
	var b batch
	b.add(first)
	b.fill(w.queue, maxBatch)
	b.fill(w.rests, len(b.writes)+maxRests)
	return b.writes
}

// batch is what shares a call.
type batch struct {
	writes []*write
	size   int
}

// add takes a write on, unless nobody waits for it any more.
func (b *batch) add(r *write) {
	if err := r.ctx.Err(); err != nil {
		r.result <- err
		return
	}
	b.writes, b.size = append(b.writes, r), b.size+r.size()
}

// fill takes on what waits in a queue.
func (b *batch) fill(queue <-chan *write, most int) {
	for len(b.writes) < most && b.size <= maxBatchBytes {
		select {
		case r, ok := <-queue:
			if !ok {
				return
			}
			b.add(r)
		default:
			return
		}
	}
}

// run carries out a batch and answers its callers. If the database refuses the call because of one of its writes, each is sent by
// itself, so that only that one fails.
func (w *writer) run(batch []*write) {
	if len(batch) == 0 {
		return
	}
	results, err := w.insist(batch)
	if err != nil && !pg.Passing(err) && len(batch) > 1 {
		for _, r := range batch {
			w.run([]*write{r})
		}
		return
	}
	for i, r := range batch {
		if err != nil {
			r.result <- explain("write", err)
			continue
		}
		r.result <- r.op.refusal(results[i], r.again)
	}
}

// insist sends a batch until the database has carried it out. A call whose connection broke may have been carried out, and is sent
// again all the same: each write knows its own when it meets it. As soon as nobody waits for the batch any more, it is given up. Each
// call is waited for longer than the one before: the server may be there, and slow.
func (w *writer) insist(batch []*write) ([]json.RawMessage, error) {
	pause := backoff.NewExponentialBackOff()
	pause.InitialInterval, pause.MaxInterval = firstPause, mostPause
	for silence := w.silence; ; silence = min(2*silence, callTime) {
		results, err := w.call(batch, silence)
		if batch[0].again {
			w.signal() // a call whose answer was lost may have told, too
		}
		if err == nil || !pg.Passing(err) || !waited(batch) {
			return results, err
		}
		for _, r := range batch {
			r.again = true
		}
		time.Sleep(pause.NextBackOff())
	}
}

// waited reports that somebody waits for one of the writes.
func waited(batch []*write) bool {
	for _, r := range batch {
		if r.ctx.Err() == nil {
			return true
		}
	}
	return false
}

func (w *writer) call(batch []*write, silence time.Duration) ([]json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(pg.Patient(context.Background(), silence), callTime)
	defer cancel()
	return w.send(ctx, w.q, batch)
}

// send calls the database's function through q.
func (w *writer) send(ctx context.Context, q *query.Queries, batch []*write) ([]json.RawMessage, error) {
	ops, lazy := make([][]byte, len(batch)), true
	var bodies [][]byte
	bases := make([]int32, len(batch))
	for i, r := range batch {
		ops[i], bases[i], lazy = r.text, int32(len(bodies)), lazy && r.lazy
		bodies = append(bodies, r.bodies...)
	}
	text := slices.Concat([]byte("["), bytes.Join(ops, []byte(",")), []byte("]"))
	answer, err := q.CommitBatch(ctx, query.CommitBatchParams{Batch: text, Bodies: bodies, Bases: bases, Lazy: lazy, Teller: w.name})
	if err != nil {
		return nil, err
	}
	var said struct {
		Now     time.Time         `json:"now"`
		Told    bool              `json:"told"`
		Results []json.RawMessage `json:"results"`
	}
	if err := json.Unmarshal([]byte(answer), &said); err != nil {
		return nil, fmt.Errorf("read the database's answer: %w", err)
	}
	if len(said.Results) != len(batch) {
		return nil, core.Errorf(core.CodeInternal, "the database answered %d of %d writes", len(said.Results), len(batch))
	}
	w.clock.set(said.Now)
	if said.Told {
		w.signal()
	}
	return said.Results, nil
}
