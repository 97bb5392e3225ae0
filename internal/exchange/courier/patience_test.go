package courier_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/courier"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestAWorkerThatCannotClaim ends after some minutes and says why: it has nothing that could be lost.
func TestAWorkerThatCannotClaim(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "engine.sock")
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err := courier.Run(t.Context(), courier.Options{Order: wire.Order{URL: wire.SocketScheme + socket}, Log: slog.New(slog.DiscardHandler)})
		if err == nil || errors.Is(err, courier.ErrClaimed) || errors.Is(err, courier.ErrGivenUp) {
			t.Fatalf("it ended with %v", err)
		}
		if said := err.Error(); !strings.Contains(said, "claim the attempt: gave up after 5m0s") || !strings.Contains(said, socket) {
			t.Errorf("it says %q", said)
		}
		if waited := time.Since(began); waited < 5*time.Minute || waited > 6*time.Minute {
			t.Errorf("it waited for %s", waited)
		}
	})
}

// TestAWorkerThatClaimed waits far longer for an engine that takes its work: that is nowhere else.
func TestAWorkerThatClaimed(t *testing.T) {
	station := exchangetest.NewStation(t)
	station.Prepare(station.Current(), sandbox.None, "true")
	direct, err := url.Parse(station.URL())
	if err != nil {
		t.Fatal(err)
	}
	var away atomic.Bool
	engine := httputil.NewSingleHostReverseProxy(direct)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if away.Load() || r.URL.Path == wire.PathWord {
			panic(http.ErrAbortHandler)
		}
		engine.ServeHTTP(w, r)
	}))
	server.Config.SetKeepAlivesEnabled(false) // while a worker reads from a connection, its time stands still: it may not wait for a word, either
	server.Start()
	t.Cleanup(server.Close)
	synctest.Test(t, func(t *testing.T) {
		const outage = time.Hour
		began := time.Now()
		var log strings.Builder
		o := options(t, station, &log, func(_ context.Context, folder string) error {
			away.Store(true)
			time.AfterFunc(outage, func() { away.Store(false) })
			return shim.WriteStartFailed(folder, errors.New("how it ended"))
		})
		o.URL = server.URL
		if err := courier.Run(t.Context(), o); err != nil {
			t.Error(err)
		}
		if waited := time.Since(began); waited < outage {
			t.Errorf("it waited for %s", waited)
		}
	})
	if exit, err := station.Exit(t); err != nil || !strings.Contains(exit.Detail, "how it ended") {
		t.Errorf("it ended as %+v, %v", exit, err)
	}
}
