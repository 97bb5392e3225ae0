package egress

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/handover"
)

const (
	headerBytes = 64 << 10
	shortage    = 50 * time.Millisecond // before another accept, if the system ran out of something
	socksFirst  = 5                     // the byte that a SOCKS5 client begins with
)

// Serve serves connections until ctx ends or the listener fails. It closes the
// listener and every connection, and returns when no goroutine of it is left. The
// error is nil if ctx ended.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	inner, cancel := context.WithCancel(ctx)
	d := &serving{Server: s, ctx: inner, handed: make(chan net.Conn)}
	web := d.webServer()
	var served sync.WaitGroup
	served.Go(func() { _ = web.Serve(handedOver{d, l.Addr()}) }) // ends with inner only
	stop := context.AfterFunc(inner, func() { _ = l.Close() })
	err := d.accept(l)
	stop()
	cancel()
	_ = l.Close()   // a second time, if ctx ended
	_ = web.Close() // it has no listener of its own
	served.Wait()
	d.open.Wait()
	if ctx.Err() == nil {
		return err
	}
	return nil
}

// serving is one call of Serve.
type serving struct {
	*Server
	ctx    context.Context
	handed chan net.Conn // to the HTTP server
	open   sync.WaitGroup
}

func (d *serving) accept(l net.Listener) error {
	for {
		conn, err := l.Accept()
		switch {
		case err == nil:
			d.admit(conn)
		case d.ctx.Err() != nil:
			return d.ctx.Err()
		case scarce(err):
			select {
			case <-time.After(shortage):
			case <-d.ctx.Done():
			}
		default:
			return err
		}
	}
}

// scarce reports whether an accept may succeed later.
func scarce(err error) bool {
	passing := []syscall.Errno{syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED}
	return slices.ContainsFunc(passing, func(errno syscall.Errno) bool { return errors.Is(err, errno) })
}

// admit serves a connection if there is room, and turns it away at once otherwise.
func (d *serving) admit(conn net.Conn) {
	select {
	case d.slots <- struct{}{}:
	default:
		d.turnAway(conn)
		return
	}
	d.open.Add(1)
	c := &client{Conn: conn}
	stop := context.AfterFunc(d.ctx, func() { _ = conn.Close() })
	c.release = sync.OnceFunc(func() {
		stop()
		_ = conn.Close() // whoever served it has noted how it ended
		<-d.slots
		d.open.Done()
	})
	go d.greet(c)
}

// replace serves a handed-over connection instead of the one it came on.
func (d *serving) replace(c *client, handed net.Conn) {
	stop := context.AfterFunc(d.ctx, func() { hangUpOn(handed) })
	leave := c.release
	c.Conn, c.release = handed, sync.OnceFunc(func() {
		stop()
		hangUpOn(handed) // whoever served it has noted how it ended
		leave()
	})
}

// hangUpOn closes a client's connection. The process that handed it over has it too, and may have made it blocking: our read
// or write then waits in the kernel, which no deadline and no close ends. A shutdown does.
func hangUpOn(conn net.Conn) {
	if both, ok := conn.(interface {
		CloseRead() error
		CloseWrite() error
	}); ok {
		_, _ = both.CloseRead(), both.CloseWrite() // they fail if it has ended already
	}
	_ = conn.Close()
}

// greet finds out which protocol a client speaks.
func (d *serving) greet(c *client) {
	_ = c.SetReadDeadline(time.Now().Add(d.o.Header)) // fails only with the connection
	first, handed, err := handover.Take(c.Conn)
	if err == nil && handed != nil {
		d.replace(c, handed)
		_ = c.SetReadDeadline(time.Now().Add(d.o.Header))
		first, _, err = handover.Take(c.Conn)
	}
	if err != nil {
		c.release()
		return
	}
	c.first = []byte{first}
	if first == socksFirst {
		defer c.release()
		d.socks(c)
		return
	}
	select {
	case d.handed <- c:
	case <-d.ctx.Done():
		c.release()
	}
}

// client is a connection from the sandbox.
type client struct {
	net.Conn
	first    []byte // read already
	hijacked atomic.Bool
	release  func() // closes it and gives its place away, once
}

// Read implements net.Conn.
func (c *client) Read(p []byte) (int, error) {
	if len(c.first) > 0 && len(p) > 0 {
		n := copy(p, c.first)
		c.first = c.first[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// Close implements net.Conn.
func (c *client) Close() error {
	hangUpOn(c.Conn)
	return nil
}

// handedOver is the listener of the HTTP server: it accepts what greet hands over.
type handedOver struct {
	*serving
	addr net.Addr
}

func (h handedOver) Accept() (net.Conn, error) {
	select {
	case c := <-h.handed:
		return c, nil
	case <-h.ctx.Done():
		return nil, net.ErrClosed
	}
}

func (h handedOver) Close() error   { return nil }
func (h handedOver) Addr() net.Addr { return h.addr }

type clientKey struct{}

// webServer reads requests. It frees a connection's slot when it closes the
// connection or, once a handler has taken it over, when that handler returns.
func (d *serving) webServer() *http.Server {
	return &http.Server{
		ReadHeaderTimeout: d.o.Header,
		MaxHeaderBytes:    headerBytes,
		IdleTimeout:       d.o.Idle,
		ErrorLog:          log.New(io.Discard, "", 0), // clients' mistakes are no news
		BaseContext:       func(net.Listener) context.Context { return d.ctx },
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, clientKey{}, conn)
		},
		ConnState: func(conn net.Conn, state http.ConnState) {
			c, ok := conn.(*client)
			switch {
			case !ok:
			case state == http.StateHijacked:
				c.hijacked.Store(true)
			case state == http.StateClosed:
				c.release()
			}
		},
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			c := r.Context().Value(clientKey{}).(*client)
			defer func() {
				if c.hijacked.Load() {
					c.release()
				}
			}()
			d.answer(w, r, c)
		}),
	}
}
