package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// linger is how long one direction of a tunnel may go on without bytes after the
// other broke: what a host said before it hung up still arrives.
const linger = 5 * time.Second

// unrecognisedName is the fatal TLS alert that tells a client which name is wrong.
var unrecognisedName = []byte{21, 3, 1, 0, 2, 2, 112}

// tunnel copies bytes between a client and a host.
type tunnel struct {
	client, host   net.Conn
	idle           time.Duration
	watch          *watch
	sent, received atomic.Int64
	hostDone       atomic.Bool // the host has said everything

	mu    sync.Mutex
	pulse time.Duration // a copy looks up this often
	why   error         // the first thing that went wrong
}

// carry runs a tunnel to its end and notes it in the record. The caller closes
// both connections.
func (d *serving) carry(a *attempt, near net.Conn, far *far, early []byte) {
	t := &tunnel{client: near, host: far.Conn, idle: d.o.Idle, pulse: d.o.Idle / 4}
	cut := func() { hangUpOn(near); _ = far.Close() }
	t.watch = newWatch(d.o.Idle, cut)
	defer t.watch.stop()
	stop := context.AfterFunc(d.ctx, cut)

	var both sync.WaitGroup
	both.Go(func() {
		if err := t.up(a.Host, a.Port, early); err != nil {
			t.note(err)
			cut()
		}
	})
	both.Go(func() { t.down(far.rest) })
	both.Wait()
	ended := !stop() || d.ctx.Err() != nil // whoever waits for the context, too, may have hung up first

	a.Sent, a.Received = t.sent.Load(), t.received.Load()
	var refused *Refused
	switch {
	case errors.As(t.why, &refused):
		a.Allowed, a.Cause = false, refused.Cause
	case ended:
		a.Cause = "the attempt ended"
	case t.why != nil:
		a.Cause = cause(t.why)
	default:
		a.Cause = t.watch.cause()
	}
}

// up copies from the client to the host, after a look at what the client says
// first. An error means that nothing more may pass in either direction.
func (t *tunnel) up(host string, port int, early []byte) error {
	first, err := t.firstBytes(host, port, early)
	if err != nil {
		return err
	}
	err = t.pour(t.host, t.client, first, &t.sent)
	switch {
	case t.hostDone.Load(): // what fails after the host's end is no failure
	case errors.Is(err, syscall.ECONNRESET) && gone(t.client):
	default:
		t.note(err)
	}
	return nil
}

// gone reports whether the other side of a connection has closed it. A splice does
// not say which of its two sides was reset.
func gone(conn net.Conn) bool {
	c, ok := conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return true // closed here
	}
	ended := false
	err = raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), make([]byte, 1), syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		ended = err == nil && n == 0
	})
	return err != nil || ended
}

// down copies from the host to the client. It is no failure if the client hangs up.
func (t *tunnel) down(rest []byte) {
	err := t.pour(t.client, t.host, rest, &t.received)
	if !errors.Is(err, syscall.EPIPE) {
		t.note(err)
	}
}

// firstBytes reads until it is clear whether the client speaks TLS and, if so,
// which host it asks for.
func (t *tunnel) firstBytes(host string, port int, said []byte) ([]byte, error) {
	said = append(make([]byte, 0, 4<<10), said...)
	for need := 1; ; {
		if len(said) >= need {
			name, more, err := parseHello(said)
			if !errors.Is(err, errIncomplete) {
				return said, t.judge(host, port, name, err)
			}
			need = more
		}
		if max(len(said), need) > maxHello {
			return nil, &Refused{host, port, "its TLS ClientHello is too long"}
		}
		n, err := t.read(said[len(said):cap(said)])
		said = said[:len(said)+n]
		if len(said) == cap(said) {
			said = append(said, 0)[:len(said)]
		}
		switch {
		case err == nil:
		case errors.Is(err, io.EOF) && len(said) == 0:
			return nil, nil
		case errors.Is(err, io.EOF):
			return nil, errors.New("the client hung up in the middle of its TLS ClientHello")
		default:
			return nil, err
		}
	}
}

// judge decides on the first bytes: a ClientHello with a name, or err.
func (t *tunnel) judge(host string, port int, name string, err error) error {
	switch {
	case errors.Is(err, errNotTLS) && port == portHTTPS:
		return &Refused{host, port, "what the client sent on port 443 is not TLS"}
	case errors.Is(err, errNotTLS):
		return nil
	case err != nil:
		return &Refused{host, port, err.Error()}
	case name == "" && literal(host):
		return nil
	}
	if asked, err := canonical(name); err == nil && asked == host {
		return nil
	}
	_, _ = t.client.Write(unrecognisedName) // the client learns it, or it is gone
	if name == "" {
		return &Refused{host, port, "the TLS ClientHello names no host"}
	}
	return &Refused{host, port, fmt.Sprintf("the TLS ClientHello asks for another host, %s", shown(name))}
}

// pour copies one direction to its end: first what was read before, then the rest.
// The end of one side is passed on as such; the other direction goes on.
func (t *tunnel) pour(dst, src net.Conn, first []byte, moved *atomic.Int64) error {
	var err error
	if len(first) > 0 {
		var n int
		n, err = dst.Write(first)
		moved.Add(int64(n))
	}
	for err == nil {
		t.arm(src)
		var copied int64
		copied, err = io.Copy(dst, src) // by splice on Linux
		moved.Add(copied)
		if copied > 0 {
			t.watch.touch()
		}
		if err == nil {
			break
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			err = nil
		}
	}
	if err == nil && src == t.host {
		t.hostDone.Store(true) // before the client learns it and answers
	}
	if closer, ok := dst.(interface{ CloseWrite() error }); ok {
		_ = closer.CloseWrite() // it may be gone
	}
	if err != nil {
		t.hurry()
	}
	return err
}

// read reads from the client, for as long as the watch lets it.
func (t *tunnel) read(p []byte) (int, error) {
	for {
		t.arm(t.client)
		n, err := t.client.Read(p)
		if n > 0 {
			t.watch.touch()
		}
		if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			return n, err
		}
	}
}

// arm makes a copy return after a while, because a splice tells only then how much
// it moved. No write has a deadline, so no byte is lost.
func (t *tunnel) arm(src net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = src.SetReadDeadline(time.Now().Add(t.pulse)) // fails only with the connection
}

// hurry lets the direction that is left go on for as long as it has bytes.
func (t *tunnel) hurry() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pulse = min(t.pulse, linger/4)
	t.watch.hurry(linger)
	now := time.Now()
	_ = t.client.SetReadDeadline(now)
	_ = t.host.SetReadDeadline(now)
}

// note keeps the first error, but not that a connection was closed here: the code
// that closed it knows why.
func (t *tunnel) note(err error) {
	if err == nil || errors.Is(err, net.ErrClosed) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why == nil {
		t.why = err
	}
}
