package network_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/network"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// dial connects and, where there is something to say, says it and reads the
// status.
func dial(t *testing.T, w *world, request string) (net.Conn, int) {
	t.Helper()
	conn, err := (&net.Dialer{Timeout: waittest.Limit}).DialContext(t.Context(), "tcp", strings.TrimPrefix(w.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // perhaps closed by the other side
	if request == "" {
		return conn, 0
	}
	if err := conn.SetDeadline(waittest.Deadline()); err != nil {
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

// listens opens a stream and returns the status of the answer, which has no end.
func listens(t *testing.T, w *world, token string) (net.Conn, string) {
	t.Helper()
	conn, _ := dial(t, w, "")
	if _, err := fmt.Fprintf(conn, "GET /v1/watch HTTP/1.1\r\nHost: localhost\r\nAuthorization: %s\r\n\r\n", bearer(token)); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(waittest.Deadline()); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return conn, strings.TrimPrefix(strings.TrimSpace(line), "HTTP/1.1 ")
}

const granted, refused = "200 OK", "429 Too Many Requests"

// fill opens as many streams of one person as there may be, and returns the last.
func fill(t *testing.T, w *world, token string, places int) net.Conn {
	t.Helper()
	var last net.Conn
	for i := range places {
		conn, status := listens(t, w, token)
		if status != granted {
			t.Fatalf("stream %d: %s", i, status)
		}
		last = conn
	}
	if _, status := listens(t, w, token); status != refused {
		t.Errorf("stream %d: %s", places, status)
	}
	return last
}

// One person's streams are bounded, and who hangs up may come again.
func TestStreamsOfOnePerson(t *testing.T) {
	w := serve(t, network.Config{})
	token := w.token(api.RoleViewer)
	last := fill(t, w, token, 256)
	a := w.ask(http.MethodGet, "/v1/runs", "", "Authorization", bearer(token))
	if a.StatusCode != http.StatusTooManyRequests || !strings.Contains(a.text, "viewer 0 has 256 open requests") || !strings.Contains(a.text, "close pages") {
		t.Errorf("what it says: %d %s", a.StatusCode, a.text)
	}
	if a := w.ask(http.MethodGet, "/", "", "Cookie", w.cookie()); a.StatusCode != http.StatusOK {
		t.Errorf("somebody else's page: %d", a.StatusCode)
	}
	if err := last.Close(); err != nil {
		t.Fatal(err)
	}
	if !waittest.Until(func() bool { // the engine finds out by itself
		_, status := listens(t, w, token)
		return status == granted
	}) {
		t.Fatal("who has hung up is not let in again")
	}
}

// All streams together leave room for who has few.
func TestStreamsOfManyPeople(t *testing.T) {
	w := serve(t, network.Config{})
	for _, places := range []int{256, 256, 256, 128} { // of 1024
		fill(t, w, w.token(api.RoleViewer), places)
	}
	for range 2 {
		fill(t, w, w.token(api.RoleViewer), 8)
	}
	if a := w.ask(http.MethodGet, "/", "", "Cookie", w.cookie()); a.StatusCode != http.StatusOK {
		t.Errorf("the owner's page: %d", a.StatusCode)
	}
}

// Who opens all the connections that there may be, with a token, and asks nothing
// more over them keeps nobody out.
func TestSilentConnectionsMakeRoom(t *testing.T) {
	w := serve(t, network.Config{})
	ask := "GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
	greedy := bearer(w.token(api.RoleViewer))
	listening, status := listens(t, w, w.token(api.RoleViewer))
	if status != granted {
		t.Fatal(status)
	}
	for i := range 1100 {
		if _, status := dial(t, w, ask+greedy); status != http.StatusOK {
			t.Fatalf("connection %d: %d", i, status)
		}
	}
	if _, status := dial(t, w, ask+bearer(w.token(api.RoleViewer))); status != http.StatusOK {
		t.Errorf("who comes later: %d", status)
	}
	w.svc.Scenes.Moves <- api.Moved{At: "1"}
	if line, err := bufio.NewReader(listening).ReadString('1'); err != nil {
		t.Errorf("who is being served: %q, %v", line, err)
	}
}

// Who has all the connections that there may be, with a token, and opens others
// again and again does not close those of people who have only just come.
func TestNewcomersAreHeard(t *testing.T) {
	w := serve(t, network.Config{})
	ask := "GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
	greedy := bearer(w.token(api.RoleViewer))
	for i := range 1023 {
		if _, status := dial(t, w, ask+greedy); status != http.StatusOK {
			t.Fatalf("connection %d: %d", i, status)
		}
	}
	newcomer, _ := dial(t, w, "")
	for range 100 {
		dial(t, w, "")
	}
	if err := newcomer.SetDeadline(waittest.Deadline()); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(newcomer, "%s\r\n\r\n", ask+bearer(w.token(api.RoleAdmin))); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(newcomer), nil)
	if err != nil {
		t.Fatalf("who came before them: %v", err)
	}
	if err := answer.Body.Close(); err != nil || answer.StatusCode != http.StatusOK {
		t.Errorf("who came before them: %d, %v", answer.StatusCode, err)
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
