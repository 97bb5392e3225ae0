package api_test

import (
	"bufio"
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// talker tells without end what moves, and then how that ended.
type talker struct {
	api.Views
	ended chan error
}

func (k talker) Watch(_ context.Context, _ string, fn func(api.Moved) error) error {
	for n := 1; ; n++ {
		if err := fn(api.Moved{At: strconv.Itoa(n), Runs: []string{strings.Repeat("x", 4096)}}); err != nil {
			k.ended <- err
			return err
		}
	}
}

// TestAStalledReaderIsCutOff: who leaves a piece unread for longer than they may
// holds nothing of the engine any more, and who reads is not cut off.
func TestAStalledReaderIsCutOff(t *testing.T) {
	t.Parallel()
	ended := make(chan error, 1)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api.ServeWatchWithin(r.Context(), talker{ended: ended}, "", w, 2*time.Second)
	}))
	srv.Config.ConnContext = func(ctx context.Context, c net.Conn) context.Context {
		if err := c.(*net.TCPConn).SetWriteBuffer(4096); err != nil { // next to no room on the way
			t.Error(err)
		}
		return ctx
	}
	srv.Start()
	defer srv.Close()
	stalled, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stalled.Close() }()
	if err := stalled.(*net.TCPConn).SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stalled)
	if _, err := stalled.Write([]byte("GET / HTTP/1.1\r\nHost: engine\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	for heard := 0; heard < 20; { // for a while it reads
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("after %d moves: %v", heard, err)
		}
		if strings.HasPrefix(line, "id: ") {
			heard++
		}
	}
	select {
	case err := <-ended:
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("the stream ended with %v", err)
		}
	case <-waittest.Over():
		t.Fatal("the stream of who does not read goes on")
	}
}
