package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"sync"

	"modernc.org/sqlite"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/planted"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// maxBatch bounds how many writes share a transaction, and so how long the
// first of them waits for the last.
const maxBatch = 64

// writer is the one connection that writes. Writes that wait at the same time
// share a transaction, and so its fsync; each still succeeds or fails whole
// and by itself.
type writer struct {
	db     *sql.DB
	conn   *sql.Conn
	q      *query.Queries // prepared on conn
	ctl    control        // prepared on conn
	signal func()
	queue  chan *write
	done   chan struct{} // closed when the loop has ended
	lazy   bool          // owned by the loop: synchronous is NORMAL

	mayBeLazy bool

	mu     sync.RWMutex // held shared while queueing, so that close can end the queue
	closed bool
}

// write is one caller's change. do may run more than once, each time from the
// same state of the database; only the last run counts.
type write struct {
	ctx    context.Context
	do     func(ctx context.Context, tx *txn) error
	lazy   bool // may be undone by a crash of the machine
	closed bool // may be done although the store is closed
	// alone, if set, is done instead of do, outside of any transaction.
	alone  func(ctx context.Context, conn *sql.Conn) error
	result chan error
}

// txn is what a write sees.
type txn struct {
	*query.Queries
	raised  bool // a hint may be pending
	closure store.Closure
}

func newWriter(ctx context.Context, db *sql.DB, mayBeLazy bool, signal func()) (*writer, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	q, err := query.Prepare(ctx, conn)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	ctl, err := prepareControl(ctx, conn)
	if err != nil {
		return nil, errors.Join(err, q.Close(), conn.Close())
	}
	w := &writer{
		db: db, conn: conn, q: q, ctl: ctl, signal: signal,
		queue: make(chan *write, maxBatch), done: make(chan struct{}), mayBeLazy: mayBeLazy,
	}
	if err := w.tryOut(ctx); err != nil {
		return nil, errors.Join(err, q.Close(), ctl.close(), conn.Close())
	}
	go w.loop()
	return w, nil
}

// tryOut finds out at once whether the database can be written at all.
func (w *writer) tryOut(ctx context.Context) error {
	if err := run(ctx, w.ctl.begin); err != nil {
		return err
	}
	return run(ctx, w.ctl.rollback)
}

// commit runs do in a transaction and returns once it is durable. A context
// that ends before the transaction begins means nothing happens; afterwards
// the outcome is awaited, so that it is never in doubt.
func (w *writer) commit(ctx context.Context, do func(context.Context, *txn) error) error {
	return w.submit(&write{ctx: ctx, do: do, result: make(chan error, 1)})
}

// commitLazily is commit, where allowed without the wait for the disk: for
// changes that cost only a repeated look when a crash of the machine undoes them.
func (w *writer) commitLazily(ctx context.Context, do func(context.Context, *txn) error) error {
	return w.submit(&write{ctx: ctx, do: do, lazy: w.mayBeLazy, result: make(chan error, 1)})
}

// commitClosed is commit for what is done to a store that nobody may work on.
func (w *writer) commitClosed(ctx context.Context, do func(context.Context, *txn) error) error {
	return w.submit(&write{ctx: ctx, do: do, closed: true, result: make(chan error, 1)})
}

func (w *writer) submit(r *write) error {
	if err := w.enqueue(r); err != nil {
		return err
	}
	return <-r.result
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
	select {
	case w.queue <- r:
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
	}
	w.mu.Unlock()
	<-w.done
}

// close is to be called after end.
func (w *writer) close() error {
	err := errors.Join(w.q.Close(), w.ctl.close())
	if cerr := w.conn.Close(); !errors.Is(cerr, sql.ErrConnDone) { // closed before
		err = errors.Join(err, cerr)
	}
	return errors.Join(err, w.db.Close())
}

func (w *writer) loop() {
	defer close(w.done)
	for first := range w.queue {
		w.run(w.gather(first))
	}
}

// gather adds to first what waits behind it already.
func (w *writer) gather(first *write) []*write {
	var batch []*write
	for r, ok := first, true; ok; {
		if err := r.ctx.Err(); err != nil {
			r.result <- err
		} else {
			batch = append(batch, r)
		}
		if len(batch) == maxBatch {
			break
		}
		select {
		case r, ok = <-w.queue:
		default:
			ok = false
		}
	}
	return batch
}

// run commits a batch and answers its callers. A failure of the database may
// have rolled back more than the write it struck, so the writes of a batch
// that broke half-way are done again one by one.
func (w *writer) run(batch []*write) {
	if len(batch) == 0 {
		return
	}
	if i := slices.IndexFunc(batch, func(r *write) bool { return r.alone != nil }); i >= 0 {
		w.run(batch[:i])
		batch[i].result <- batch[i].alone(batch[i].ctx, w.conn)
		w.run(batch[i+1:])
		return
	}
	results, begun, err := w.transact(context.Background(), batch)
	if err != nil && begun && len(batch) > 1 {
		for _, r := range batch {
			w.run([]*write{r})
		}
		return
	}
	for i, r := range batch {
		if err != nil {
			r.result <- err
		} else {
			r.result <- results[i]
		}
	}
}

// transact runs a batch in one transaction. err is the transaction's; results
// hold what each write itself returned. Savepoints cost as much as a write's
// own statements and refusals are rare, so a batch is first tried without: what
// a refusal leaves behind is then undone with the whole transaction.
func (w *writer) transact(ctx context.Context, batch []*write) (results []error, begun bool, err error) {
	if err := w.pace(ctx, batch); err != nil {
		return nil, false, err
	}
	results, begun, err = w.try(ctx, batch, w.plainly)
	switch {
	case !errors.Is(err, errRefused):
		return results, begun, err
	case len(batch) == 1:
		return results, true, nil
	}
	return w.try(ctx, batch, w.apart)
}

// errRefused means that a write of a transaction without savepoints was refused.
var errRefused = errors.New("a write was refused")

// try runs a batch in a transaction, each write by apply. If apply fails,
// the transaction is undone and results end with the write it failed at.
func (w *writer) try(ctx context.Context, batch []*write, apply applying) (results []error, begun bool, err error) {
	if err := run(ctx, w.ctl.begin); err != nil {
		return nil, false, err
	}
	tx := &txn{Queries: w.q}
	if err := w.ctl.closure.QueryRowContext(ctx).Scan(&tx.closure.Reason, &tx.closure.Other); err != nil {
		w.abandon(ctx)
		return nil, true, err
	}
	for _, r := range batch {
		own, err := apply(ctx, tx, r)
		results = append(results, own)
		if err != nil {
			w.abandon(ctx)
			return results, true, err
		}
	}
	if err := run(ctx, w.ctl.commit); err != nil {
		w.abandon(ctx)
		return nil, true, err
	}
	if tx.raised {
		w.signal()
	}
	return results, true, nil
}

// applying runs one write: own is the write's own refusal, broken what ends
// the transaction.
type applying func(ctx context.Context, tx *txn, r *write) (own, broken error)

// plainly runs a write whose refusal ends the transaction.
func (w *writer) plainly(ctx context.Context, tx *txn, r *write) (own, broken error) {
	if own = tx.closure.Refusal("the database"); own == nil || r.closed {
		own = r.do(ctx, tx)
	}
	var failed *sqlite.Error
	switch {
	case errors.As(own, &failed):
		return nil, own
	case own != nil:
		return own, errRefused
	}
	return nil, nil
}

// apart runs a write so that its own refusal undoes nothing but itself.
func (w *writer) apart(ctx context.Context, tx *txn, r *write) (own, broken error) {
	if err := run(ctx, w.ctl.mark); err != nil {
		return nil, err
	}
	own, broken = w.plainly(ctx, tx, r)
	if broken != nil && own == nil {
		return nil, broken
	}
	if own != nil {
		if err := run(ctx, w.ctl.undo); err != nil {
			return nil, err
		}
	}
	return own, run(ctx, w.ctl.unmark)
}

// abandon ends a broken transaction. The database may have rolled it back by
// itself; the refusal to do so again says nothing.
func (w *writer) abandon(ctx context.Context) { _ = run(ctx, w.ctl.rollback) }

// pace waits for the disk at the end of a transaction unless every write of it
// can do without. The setting cannot change inside a transaction.
func (w *writer) pace(ctx context.Context, batch []*write) error {
	lazy := true
	for _, r := range batch {
		lazy = lazy && r.lazy
	}
	if lazy == w.lazy || w.lazy && planted.Is("staylazy") {
		return nil
	}
	setting := "PRAGMA synchronous=FULL" // takes effect when prepared, so it cannot be prepared ahead
	if lazy {
		setting = "PRAGMA synchronous=NORMAL"
	}
	if _, err := w.conn.ExecContext(ctx, setting); err != nil {
		return err
	}
	w.lazy = lazy
	return nil
}
