package network_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/network"
)

// cutter passes connections on, and cuts each after some bytes of the answer. For
// every second one it hangs up at once.
type cutter struct {
	net.Listener
	to    string
	after int64
	work  sync.WaitGroup
	cuts  int
}

func (c *cutter) run() {
	for n := 0; ; n++ {
		conn, err := c.Accept()
		if err != nil {
			return
		}
		if n%2 == 1 {
			c.cuts++
			_ = conn.Close()
			continue
		}
		c.cuts++
		c.work.Go(func() { c.pass(conn) })
	}
}

func (c *cutter) pass(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	engine, err := net.Dial("tcp", c.to)
	if err != nil {
		return
	}
	defer func() { _ = engine.Close() }()
	c.work.Go(func() {
		_, _ = io.Copy(engine, conn) // ends with either of them
		_ = engine.Close()
	})
	_, _ = io.CopyN(conn, engine, c.after) // and then it is cut
}

// TestACutStreamMissesNothing: a client whose connection is cut again and again,
// also in the middle of an event, hears every event once and in order.
func TestACutStreamMissesNothing(t *testing.T) {
	const events = 60
	w := serve(t, network.Config{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cut := &cutter{Listener: l, to: strings.TrimPrefix(w.url, "http://"), after: 3001}
	var accepting sync.WaitGroup
	accepting.Go(cut.run)
	defer func() {
		_ = l.Close()
		accepting.Wait()
		cut.work.Wait()
	}()
	remote, err := client.NewRemote("http://"+l.Addr().String(), w.token(api.RoleViewer))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = remote.Close() }()
	w.svc.Happen("r1", time.Now(), core.Person("ada"), core.RunPaused{Reason: "first"}, nil)
	var heard []int64
	err = remote.Follow(t.Context(), "r1", 0, func(e core.Event) error {
		heard = append(heard, e.Seq)
		switch n := len(heard); {
		case n == events-1:
			w.svc.Happen("r1", time.Now(), core.Person("ada"), core.RunCancelled{Reason: "last"}, nil)
		case n < events-1:
			w.svc.Happen("r1", time.Now(), core.Person("ada"), core.RunPaused{Reason: strings.Repeat("x", 100)}, nil)
		}
		return nil
	})
	if err != nil {
		t.Fatalf("after %d events: %v", len(heard), err)
	}
	for i, seq := range heard {
		if seq != int64(i)+1 {
			t.Fatalf("heard %v", heard)
		}
	}
	if len(heard) != events {
		t.Errorf("heard %d events of %d", len(heard), events)
	}
	_ = l.Close()
	accepting.Wait()
	if cut.cuts < 4 {
		t.Errorf("the connection was cut %d times only", cut.cuts)
	}
}
