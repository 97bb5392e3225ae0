package run_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	engineclient "github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestApprovingTakesTwoRequests: one shows what waits, one approves exactly that.
func TestApprovingTakesTwoRequests(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", core.StatusAwaiting)
	handler := api.Handler(b.Svc, api.NewPersonAuthenticator(clitest.Secret, "ada"), "1")
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.Path)
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	defer server.Close()
	b.Dial = func(context.Context, shell.ConnectOptions) (api.Service, func() error, error) {
		svc, err := engineclient.NewRemote(server.URL, clitest.Secret)
		return svc, svc.Close, err
	}
	b.Run(t, shell.ExitOK, "approve", "alias-1")
	b.Said(t, b.Out, "Approved: stage review, delivery d1")
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"GET /v1/runs/alias-1", "POST /v1/runs/1/approve"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
}
