package egress

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/handover"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// handOver gives the server one end of a connection, which its giver keeps as well, and returns the other.
func (w *world) handOver() (near, far *net.TCPConn) {
	w.t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	dialled, err := net.Dial("tcp4", l.Addr().String())
	if err != nil {
		w.t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		w.t.Fatal(err)
	}
	near, far = dialled.(*net.TCPConn), accepted.(*net.TCPConn)
	w.t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	_ = near.SetDeadline(waittest.Deadline())
	if err := handover.Give(w.dial(), far); err != nil {
		w.t.Fatal(err)
	}
	return near, far
}

// block makes reads of a connection wait in the kernel, for whoever has it.
func block(t *testing.T, conn *net.TCPConn) {
	t.Helper()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = syscall.SetNonblock(int(fd), false) }); err != nil || failed != nil {
		t.Fatal(err, failed)
	}
}

// say sends a line and waits for an answer that begins like this, up to its blank line.
func say(t *testing.T, conn net.Conn, r *bufio.Reader, text, begins string) {
	t.Helper()
	fmt.Fprint(conn, text)
	line, err := r.ReadString('\n')
	if !strings.HasPrefix(line, begins) {
		t.Fatalf("%q, %v", line, err)
	}
	for err == nil && strings.TrimSpace(line) != "" {
		line, err = r.ReadString('\n')
	}
	if _, err := r.Discard(r.Buffered()); err != nil {
		t.Fatal(err)
	}
}

// TestHandedConnectionsThatBlock: whoever hands a connection over still has it, and can make reads of it wait for ever. The
// server ends all the same.
func TestHandedConnectionsThatBlock(t *testing.T) {
	const request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"
	t.Run("between requests", func(t *testing.T) {
		w := start(t, Options{Policy: local(t)})
		near, far := w.handOver()
		r := bufio.NewReader(near)
		say(t, near, r, request, "HTTP/1.1 404")
		block(t, far)
		say(t, near, r, request, "HTTP/1.1 404") // whatever is read after this waits in the kernel
		w.stop()
	})
	t.Run("in a tunnel", func(t *testing.T) {
		w := start(t, Options{Policy: local(t)})
		near, far := w.handOver()
		r := bufio.NewReader(near)
		say(t, near, r, "CONNECT "+at("a.example.com", peer(t, echo))+" HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200")
		block(t, far)
		say(t, near, r, "again\n\n", "again")
		w.stop()
	})
	t.Run("in a tunnel without bytes", func(t *testing.T) {
		w := start(t, Options{Policy: local(t), Idle: 50 * time.Millisecond})
		near, far := w.handOver()
		r := bufio.NewReader(near)
		say(t, near, r, "CONNECT "+at("a.example.com", peer(t, echo))+" HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200")
		block(t, far)
		fmt.Fprint(near, "x")
		if c := w.record(); !strings.Contains(c.Cause, "no bytes were moved") {
			t.Errorf("%+v", c)
		}
	})
}
