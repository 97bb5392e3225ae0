package egress

import (
	"context"
	"io"
	"net"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestIdleIsNotLong: a connection that moves a byte now and then lives longer than
// the idle time, and loses nothing when a copy looks up.
func TestIdleIsNotLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		outer, near := net.Pipe()
		distant, host := net.Pipe()
		a := s.begin("connect", "a.example.com", 22)
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			(&serving{Server: s, ctx: ctx}).carry(a, near, &far{Conn: distant}, nil)
		}()
		began := time.Now()
		for i := range byte(20) {
			time.Sleep(defaultIdle / 2) // of the bubble's own time
			if _, err := outer.Write([]byte{i}); err != nil {
				t.Fatalf("after %v: %v", time.Since(began), err)
			}
			var heard [1]byte
			if _, err := io.ReadFull(host, heard[:]); err != nil || heard[0] != i {
				t.Fatalf("after %v: %v, %v", time.Since(began), heard, err)
			}
		}
		last := time.Now()
		<-ended
		if took := time.Since(last); took < defaultIdle || took > defaultIdle*5/4 || a.Sent != 20 {
			t.Errorf("cut %v after the last byte: %+v", took, a.Connection)
		}
	})
}

// reset is a connection whose other side is gone.
type reset struct{ net.Conn }

// Read implements net.Conn.
func (reset) Read([]byte) (int, error) { return 0, syscall.ECONNRESET }

// TestClientGone: a host that does not notice that its client is gone keeps the
// tunnel for a moment only.
func TestClientGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		_, near := net.Pipe()
		distant, host := net.Pipe()
		a := s.begin("connect", "a.example.com", 22)
		early := []byte("SSH-2.0-x\r\n")
		go func() { _, _ = io.ReadFull(host, make([]byte, len(early))) }()
		began := time.Now()
		(&serving{Server: s, ctx: ctx}).carry(a, reset{near}, &far{Conn: distant}, early)
		if took := time.Since(began); took > linger*5/4 || a.Sent != 11 || a.Cause != syscall.ECONNRESET.Error() {
			t.Errorf("%v, %+v", took, a.Connection)
		}
	})
}
