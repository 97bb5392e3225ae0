package api

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

const shortTimeout = 50 * time.Millisecond

func TestAnOperationMayTakeLongerThanReadingItsRequest(t *testing.T) {
	cancelled := make(chan bool, 1)
	srv := httptest.NewServer(bounded(shortTimeout, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
			cancelled <- true
		case <-time.After(4 * shortTimeout):
			cancelled <- false
		}
	}), writeProblem))
	defer srv.Close()
	for _, body := range []io.Reader{strings.NewReader("{}"), nil} { // net/http waits for more in different ways
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if err := resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		if <-cancelled {
			t.Errorf("with the body %v, the request was cancelled by its read deadline", body)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

func TestASlowRequestIsGivenUp(t *testing.T) {
	srv := httptest.NewServer(bounded(shortTimeout, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("half a request was served")
	}), writeProblem))
	defer srv.Close()
	conn, err := net.Dial("tcp", srv.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	fmt.Fprint(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
	if err := conn.SetReadDeadline(waittest.Deadline()); err != nil {
		t.Fatal(err)
	}
	answer := make([]byte, 12)
	if _, err := conn.Read(answer); err != nil || string(answer) != "HTTP/1.1 400" {
		t.Errorf("%q, %v", answer, err)
	}
}
