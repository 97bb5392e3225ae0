package pg

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// errSilent is what reading says of a connection that was given up.
var errSilent = errors.New("the server says nothing any more")

// wire is a connection to a server. While a statement is under way it is watched: if no byte passes either way for too long, it is
// closed. A connection whose other end has vanished would be waited for until the kernel gives it up, and for ever if a proxy between
// them stays.
type wire struct {
	net.Conn
	gone func(*wire) // is told when it is closed

	mu     sync.Mutex
	moved  time.Time // when a byte passed last
	heard  bool      // a byte came since the statement began
	most   time.Duration
	timer  *time.Timer
	silent bool
}

func (w *wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	return n, w.passed(n, true, err)
}

func (w *wire) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	return n, w.passed(n, false, err)
}

func (w *wire) passed(n int, heard bool, err error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n > 0 {
		w.moved, w.heard = time.Now(), w.heard || heard
	}
	if err != nil && w.silent {
		return errSilent
	}
	return err
}

// Close implements net.Conn.
func (w *wire) Close() error {
	w.gone(w)
	return w.Conn.Close()
}

// begin watches the connection until end is called.
func (w *wire) begin(most time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.moved, w.heard, w.most = time.Now(), false, most
	if w.timer == nil {
		w.timer = time.AfterFunc(most, w.check)
		return
	}
	w.timer.Reset(most)
}

func (w *wire) check() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch left := w.most - time.Since(w.moved); {
	case w.most == 0: // it ended meanwhile
	case left > 0:
		w.timer.Reset(left)
	default:
		w.abandon()
	}
}

// abandon closes the connection without a word, since there is nobody to say goodbye to. w.mu is held.
func (w *wire) abandon() {
	w.silent = true
	_ = w.Conn.Close() // it may be closed already
}

// abandonIdle abandons the connection if no statement is under way.
func (w *wire) abandonIdle() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.most == 0 {
		w.abandon()
	}
}

// end reports whether nothing came since begin, and for how long.
func (w *wire) end() (mute time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	w.most = 0
	if w.heard {
		return 0
	}
	return time.Since(w.moved)
}

// idle is for how long nothing has passed.
func (w *wire) idle() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return time.Since(w.moved)
}

// watcher has the connections of a pool watched, and the whole pool made anew if one of them is lost or leads to a server that takes
// no writes any more: what has happened to one has happened to the others, and trying them one by one would take longer than a lease. It
// implements pgx.QueryTracer.
type watcher struct {
	silence time.Duration
	pool    atomic.Pointer[pgxpool.Pool]

	mu    sync.Mutex
	wires map[*wire]struct{}
}

// dial opens a connection, which is watched until it is ready for statements.
func (w *watcher) dial(d *net.Dialer) pgconn.DialFunc {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := d.DialContext(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c := &wire{Conn: conn, gone: w.forget}
		w.mu.Lock()
		w.wires[c] = struct{}{}
		w.mu.Unlock()
		c.begin(w.silence)
		return c, nil
	}
}

// ready takes a connection for one that waits for statements.
func (w *watcher) ready(_ context.Context, c *pgconn.PgConn) error {
	if wire := wireOf(c); wire != nil {
		wire.end()
	}
	return nil
}

// pause is after how long without a statement a connection is tried before it is used.
const pause = time.Second

// alive tries a connection that has not been used for a while. The pool would try it by itself, and not be watched.
func (w *watcher) alive(ctx context.Context, c *pgx.Conn) (bool, error) {
	if wire := wireOf(c.PgConn()); wire != nil && wire.idle() > pause {
		_, err := c.Exec(ctx, "-- ping")
		return err == nil, ctx.Err()
	}
	return true, nil
}

func (w *watcher) forget(c *wire) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.wires, c)
}

type patience struct{}

// Patient has the statements of a context be waited for, although the server says nothing for so long.
func Patient(ctx context.Context, silence time.Duration) context.Context {
	return context.WithValue(ctx, patience{}, silence)
}

func (w *watcher) TraceQueryStart(ctx context.Context, c *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	most, ok := ctx.Value(patience{}).(time.Duration)
	if !ok {
		most = w.silence
	}
	if wire := wireOf(c.PgConn()); wire != nil {
		wire.begin(most)
	}
	return ctx
}

// doubtful is after how much silence a caller who gives up leaves a connection that nobody should use.
const doubtful = time.Second

func (w *watcher) TraceQueryEnd(_ context.Context, c *pgx.Conn, data pgx.TraceQueryEndData) {
	wire := wireOf(c.PgConn())
	if wire == nil {
		return
	}
	mute := wire.end()
	if errors.Is(data.Err, errSilent) || pgconn.Timeout(data.Err) && mute > doubtful {
		w.renew()
		w.abandon()
	}
}

// keeps decides whether a connection is used again after an error of the server's.
func (w *watcher) keeps(otherwise pgconn.PgErrorHandler) pgconn.PgErrorHandler {
	return func(c *pgconn.PgConn, err *pgconn.PgError) bool {
		if err.Code == codeReadOnly {
			w.renew()
			return false
		}
		return otherwise(c, err)
	}
}

func (w *watcher) renew() {
	if pool := w.pool.Load(); pool != nil {
		pool.Reset()
	}
}

// abandon abandons all connections on which no statement is under way. Those with one are watched.
func (w *watcher) abandon() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.wires {
		c.abandonIdle()
	}
}

// wireOf is what a connection of dialer runs over.
func wireOf(c *pgconn.PgConn) *wire {
	conn := c.Conn()
	if secure, ok := conn.(interface{ NetConn() net.Conn }); ok {
		conn = secure.NetConn()
	}
	w, _ := conn.(*wire)
	return w
}
