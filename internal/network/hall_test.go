package network_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/network"
)

// dial connects and, where there is something to say, says it and reads the
// status.
func dial(t *testing.T, w *world, request string) (net.Conn, int) {
	t.Helper()
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // perhaps closed by the other side
	if request == "" {
		return conn, 0
	}
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(conn, "%s\r\n\r\n", request); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return conn, 0
	}
	_ = answer.Body.Close() // the status is all that counts
	return conn, answer.StatusCode
}

// Whoever opens all the connections that there may be, an agent on this machine
// for one, keeps nobody out and throws nobody out who was let in.
func TestStrangersTakeNobodysPlace(t *testing.T) {
	w := serve(t, network.Config{})
	ask := "GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: " + bearer(w.token(api.RoleViewer))
	inside, status := dial(t, w, ask)
	if status != http.StatusOK {
		t.Fatalf("before: %d", status)
	}
	for range 1100 {
		dial(t, w, "")
	}
	if _, status := dial(t, w, ask); status != http.StatusOK {
		t.Errorf("who comes later: %d", status)
	}
	if _, err := fmt.Fprintf(inside, "%s\r\n\r\n", ask); err != nil {
		t.Fatal(err)
	}
	if answer, err := http.ReadResponse(bufio.NewReader(inside), nil); err != nil {
		t.Errorf("who was inside: %v", err)
	} else if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
}

func TestAStrangerSendsLittle(t *testing.T) {
	w := serve(t, network.Config{})
	for _, path := range []string{"/sign-in", "/sign-out"} {
		if a := w.ask(http.MethodPost, path, strings.Repeat("a", 9<<10), "Content-Type", "application/x-www-form-urlencoded"); a.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("%s: %d", path, a.StatusCode)
		}
	}
}
