package s3

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// Silence is for how long the server may neither take nor send a byte. It is no limit on a transfer as a whole. A server may need most
// of it to put the parts of a large object together.
const Silence = time.Minute

// silences is how many requests in a row may meet silence before an operation fails. The first may have met a connection that was dead
// already.
const silences = 2

var errSilent = errors.New("the server says nothing any more")

// watched sends requests and ends those on which nothing moves. A connection whose other end has vanished would otherwise be waited for
// until the kernel gives it up, and for ever if a proxy between them stays.
type watched struct {
	http.RoundTripper
	silence time.Duration
}

// RoundTrip implements http.RoundTripper.
func (w *watched) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	x := &exchange{way: w, ctx: ctx, cancel: cancel, began: time.Now()}
	x.operation, _ = ctx.Value(operationKey{}).(*operation)
	x.await()
	r = r.WithContext(ctx)
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = &sent{r.Body, x}
	}
	answer, err := w.RoundTripper.RoundTrip(r)
	x.rest()
	if err != nil {
		err = x.explain(err)
		cancel(nil)
		return nil, err
	}
	x.operation.heard()
	answer.Body = &received{answer.Body, x}
	return answer, nil
}

// exchange is one request and its answer.
type exchange struct {
	way       *watched
	operation *operation // nil for what is no operation, such as asking for credentials
	ctx       context.Context
	cancel    context.CancelCauseFunc
	began     time.Time

	mu      sync.Mutex
	timer   *time.Timer
	waiting bool // for the server; otherwise for the caller, who may take any time
}

// silent ends the exchange. What has happened to its connection has happened to those that are idle, too.
func (x *exchange) silent() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.waiting {
		return
	}
	if idle, ok := x.way.RoundTripper.(interface{ CloseIdleConnections() }); ok {
		idle.CloseIdleConnections()
	}
	x.operation.silent(x.began)
	x.cancel(errSilent)
}

// await begins to wait for the server, or goes on to.
func (x *exchange) await() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waiting = true
	if x.timer == nil {
		x.timer = time.AfterFunc(x.way.silence, x.silent)
		return
	}
	x.timer.Reset(x.way.silence)
}

// moved says that the server took something.
func (x *exchange) moved() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.waiting {
		x.timer.Reset(x.way.silence)
	}
}

func (x *exchange) rest() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.waiting = false
	x.timer.Stop()
}

// explain says that silence was why the exchange failed, if it was.
func (x *exchange) explain(err error) error {
	if cause := context.Cause(x.ctx); errors.Is(cause, errSilent) {
		return cause
	}
	return err
}

// sent is the body of a request. That more of it is asked for shows that the server takes it.
type sent struct {
	io.ReadCloser
	x *exchange
}

func (s *sent) Read(b []byte) (int, error) {
	s.x.moved()
	return s.ReadCloser.Read(b)
}

// received is the body of an answer.
type received struct {
	io.ReadCloser
	x *exchange
}

func (r *received) Read(b []byte) (int, error) {
	r.x.await()
	n, err := r.ReadCloser.Read(b)
	r.x.rest()
	if n > 0 {
		r.x.operation.heard()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = r.x.explain(err)
	}
	return n, err
}

func (r *received) Close() error {
	r.x.rest()
	err := r.ReadCloser.Close()
	r.x.cancel(nil)
	return err
}

type operationKey struct{}

// operation is what a caller waits for: some requests, each of which the client sends again if it fails in passing.
type operation struct {
	giveUp context.CancelCauseFunc

	mu   sync.Mutex
	n    int       // silences since the server was heard
	last time.Time // when the last of them was noticed
}

// operate begins an operation. It ends, with errSilent as the cause, if the server stays silent however often it is asked.
func operate(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	return context.WithValue(ctx, operationKey{}, &operation{giveUp: cancel}), func() { cancel(nil) }
}

func (o *operation) heard() {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.n = 0
}

// silent counts requests that met silence, those that were under way together as one.
func (o *operation) silent(began time.Time) {
	if o == nil {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if began.Before(o.last) {
		return
	}
	o.n++
	o.last = time.Now()
	if o.n >= silences {
		o.giveUp(errSilent)
	}
}
