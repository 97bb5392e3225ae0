package run_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	engineclient "github.com/stellwerk-dev/stellwerk/internal/client"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestApprovingTakesTwoRequests: one shows what waits, one approves exactly that,
// whether the run is named or not.
func TestApprovingTakesTwoRequests(t *testing.T) {
	b := clitest.New(t)
	b.Put("1", core.StatusAwaiting)
	handler := api.Handler(b.Svc, api.NewPersonAuthenticator(clitest.Secret, "ada"), "1")
	var mu sync.Mutex
	var asked []string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.Path)
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	socket := filepath.Join(b.Dir, "engine.sock")
	listener, err := net.Listen("unix", socket)
	if err := errors.Join(err, server.Listener.Close()); err != nil {
		t.Fatal(err)
	}
	server.Listener = listener
	server.Start()
	defer server.Close()
	b.Dial = func(context.Context, shell.ConnectOptions) (api.Service, func() error, error) {
		svc := engineclient.New(socket, clitest.Secret)
		return svc, svc.Close, nil
	}
	for _, c := range []struct{ args, want []string }{
		{[]string{"approve", "alias-1"}, []string{"GET /v1/runs/alias-1", "POST /v1/runs/1/approve"}},
		{[]string{"approve"}, []string{"GET /v1/runs", "POST /v1/runs/1/approve"}},
	} {
		mu.Lock()
		asked = nil
		mu.Unlock()
		b.Out.B.Reset()
		b.Run(t, shell.ExitOK, c.args...)
		b.Said(t, b.Out, "Approved: stage review, delivery d1")
		mu.Lock()
		if !slices.Equal(asked, c.want) {
			t.Errorf("%q asked for %q, want %q", c.args, asked, c.want)
		}
		mu.Unlock()
	}
}
