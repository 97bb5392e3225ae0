package forgetest

import (
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// Fault stands between a forge and its server for one request. It may pass the
// request on or not, and answer as it likes.
type Fault func(w http.ResponseWriter, r *http.Request, next http.Handler)

// Line is the way to a server, on which faults happen.
type Line struct {
	URL string

	mu    sync.Mutex
	fault Fault
	next  http.Handler
	calls []string
}

// NewLine puts a line in front of a server.
func NewLine(t *testing.T, next http.Handler) *Line {
	t.Helper()
	l := &Line{next: next}
	server := httptest.NewServer(l)
	t.Cleanup(server.Close)
	l.URL = server.URL
	return l
}

// Break makes a fault happen to every request from now on; nil mends the line.
func (l *Line) Break(fault Fault) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fault, l.calls = fault, nil
}

// Calls returns the methods and paths that came since the line was last broken
// or mended.
func (l *Line) Calls() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls
}

// ServeHTTP implements http.Handler.
func (l *Line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	fault := l.fault
	l.calls = append(l.calls, r.Method+" "+r.URL.Path)
	l.mu.Unlock()
	if fault == nil {
		l.next.ServeHTTP(w, r)
		return
	}
	fault(w, r, l.next)
}

// Answer answers with a status, and headers given as pairs.
func Answer(status int, body string, headers ...string) Fault {
	return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // the client may be gone
	}
}

// OnCreate makes a fault happen to requests that create, and no others.
func OnCreate(fault Fault) Fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		fault(w, r, next)
	}
}

// After lets the server do what it is asked, and then the fault answers.
func After(fault Fault) Fault {
	return func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		next.ServeHTTP(httptest.NewRecorder(), r)
		fault(w, r, next)
	}
}

// Cut ends the connection without an answer.
func Cut(http.ResponseWriter, *http.Request, http.Handler) { panic(http.ErrAbortHandler) }

// Hang answers nothing until whoever asks has given up.
func Hang(_ http.ResponseWriter, r *http.Request, _ http.Handler) { <-r.Context().Done() }
