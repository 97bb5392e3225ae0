package api_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// gone is the connection of a client that leaves when the answer begins.
type gone struct {
	http.ResponseWriter
	leave    func()
	statuses []int
}

func (g *gone) WriteHeader(status int) { g.statuses = append(g.statuses, status) }

func (g *gone) SetReadDeadline(time.Time) error  { return nil }
func (g *gone) SetWriteDeadline(time.Time) error { return nil }

func (g *gone) Write([]byte) (int, error) {
	g.leave()
	return 0, errors.New("broken pipe")
}

// net/http complains in the log about a second status, and at a terminal that is
// between the lines of a run.
func TestAClientThatLeavesGetsOneStatus(t *testing.T) {
	ctx, leave := context.WithCancel(api.WithCaller(t.Context(), api.Caller{Actor: core.Actor{Kind: core.ActorPerson, ID: "ada"}}))
	w := &gone{ResponseWriter: httptest.NewRecorder(), leave: leave}
	r := httptest.NewRequestWithContext(ctx, http.MethodGet, "/v1/runs", http.NoBody)
	api.AdmittedHandler(&apitest.Service{}, "1.2.3").ServeHTTP(w, r)
	if len(w.statuses) != 1 || w.statuses[0] != http.StatusOK {
		t.Errorf("statuses %v", w.statuses)
	}
}
