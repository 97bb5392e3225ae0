package network

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func figured(figures string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, figures) })
}

// TestFiguresAreShownToThisMachine: a page whose name was made to lead here does
// not read them.
func TestFiguresAreShownToThisMachine(t *testing.T) {
	for _, c := range []struct {
		host   string
		public bool
		want   int
	}{
		{"127.0.0.1:9464", false, http.StatusOK}, {"localhost:9464", false, http.StatusOK}, {"LOCALHOST", false, http.StatusOK}, {"[::1]:9464", false, http.StatusOK},
		{"evil.example:9464", false, http.StatusMisdirectedRequest}, {"127.0.0.1.evil.example", false, http.StatusMisdirectedRequest},
		{"192.0.2.1:9464", false, http.StatusMisdirectedRequest}, {"", false, http.StatusMisdirectedRequest},
		{"metrics.example", true, http.StatusOK},
	} {
		request := httptest.NewRequest(http.MethodGet, "/metrics", nil)
		request.Host = c.host
		answer := httptest.NewRecorder()
		MetricsServer(figured("figures"), c.public).Handler.ServeHTTP(answer, request)
		if answer.Code != c.want || (answer.Code != http.StatusOK) != !strings.Contains(answer.Body.String(), "figures") {
			t.Errorf("asked as %q: %d %s", c.host, answer.Code, answer.Body)
		}
	}
}

// TestNobodyKeepsTheFiguresFromOthers: an answer ends its connection, so that
// those who come back do not hold all that there are.
func TestNobodyKeepsTheFiguresFromOthers(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := MetricsServer(figured("figures"), false)
	served := make(chan error, 1)
	go func() { served <- server.Serve(Bound(listener, 1)) }()
	defer func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
		<-served
	}()
	if server.ReadTimeout <= 0 || server.ReadTimeout > metricsTimeout || server.WriteTimeout <= 0 {
		t.Errorf("who is slow may take %s to ask, %s to listen", server.ReadTimeout, server.WriteTimeout)
	}
	ask(t, listener.Addr().String())
}

// ask holds that a client that would keep its connection is sent away.
func ask(t *testing.T, address string) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }() // the server has closed it
	if _, err := io.WriteString(conn, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(conn)
	answer, err := http.ReadResponse(lines, nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err != nil || string(text) != "figures" || !answer.Close {
		t.Errorf("%q, %v, closed: %v", text, err, answer.Close)
	}
	if _, err := lines.ReadByte(); err == nil {
		t.Error("the connection goes on")
	}
}
