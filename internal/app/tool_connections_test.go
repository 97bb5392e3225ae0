package app

import (
	"errors"
	"net"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/net/netutil"
)

// TestToolConnectionsWait: who floods the tools' socket holds a few of the engine's descriptors,
// and who calls meanwhile is heard later.
func TestToolConnectionsWait(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	q := netutil.LimitListener(l, 2)
	taken := make(chan net.Conn, 8)
	ended := make(chan error, 1)
	go func() {
		for {
			conn, err := q.Accept()
			if err != nil {
				ended <- err
				return
			}
			taken <- conn
		}
	}()
	for range 5 {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
	}
	first, second := <-taken, <-taken
	select {
	case <-taken:
		t.Fatal("a third connection was taken")
	case <-time.After(50 * time.Millisecond):
	}
	if err := errors.Join(first.Close(), first.Close()); err == nil {
		t.Error("closed twice without a word")
	}
	third := <-taken
	select {
	case <-taken:
		t.Fatal("who hangs up twice makes room for one")
	case <-time.After(50 * time.Millisecond):
	}
	if err := q.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("%v", err)
	}
	_ = errors.Join(second.Close(), third.Close()) // nobody reads them
}
