package courier_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/courier"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

func TestMain(m *testing.M) {
	worker.Intercept()
	os.Exit(m.Run())
}

// options are those of a worker at the station's attempt, which gets no workspace.
func options(t *testing.T, station *exchangetest.Station, log *strings.Builder, supervise func(ctx context.Context, folder string) error) courier.Options {
	t.Helper()
	return courier.Options{
		Order: wire.Order{URL: station.URL(), Token: exchangetest.Token(exchangetest.First), Dir: station.Workers()}, Log: slog.New(slog.NewTextHandler(log, nil)),
		Lay:       func(context.Context, string, *courier.Base, func() (shim.Spec, error)) error { return nil },
		Supervise: supervise,
	}
}

// TestASupervisorThatFailsAtLast keeps nothing back of an attempt that has ended.
func TestASupervisorThatFailsAtLast(t *testing.T) {
	station := exchangetest.NewStation(t)
	station.Prepare(station.Current(), sandbox.None, "true")
	var log strings.Builder
	err := courier.Run(t.Context(), options(t, station, &log, func(_ context.Context, folder string) error {
		return errors.Join(shim.WriteStartFailed(folder, errors.New("how it ended")), errors.New("and then this"))
	}))
	if err != nil || !strings.Contains(log.String(), "and then this") {
		t.Errorf("the worker: %v, it says %s", err, &log)
	}
	if exit, err := station.Exit(t); err != nil || !strings.Contains(exit.Detail, "how it ended") {
		t.Errorf("it ended as %+v, %v", exit, err)
	}
}

// TestAPartThatIsGivenUp is handed in again: a checkpoint that arrives late may take it from the engines after its worker asked
// for it.
func TestAPartThatIsGivenUp(t *testing.T) {
	station := exchangetest.NewStation(t)
	station.Prepare(station.Current(), sandbox.None, "true")
	direct, err := url.Parse(station.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy, lost := httputil.NewSingleHostReverseProxy(direct), 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if db := station.Current().Store; r.URL.Path == wire.PathEnd && lost == 0 {
			lost++
			list, err := db.Document(r.Context(), "attempt-part", exchangetest.First.String())
			if err == nil {
				err = db.DeleteDocument(r.Context(), list.Kind, list.Key, list.Version)
			}
			if err != nil {
				t.Error(err)
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	defer server.Close()
	var log strings.Builder
	o := options(t, station, &log, func(_ context.Context, folder string) error {
		if err := os.MkdirAll(filepath.Join(folder, "out"), 0o700); err != nil {
			return err
		}
		shimtest.Write(t, filepath.Join(folder, "out", "a.md"), "the work")
		exit, err := json.Marshal(shim.Exit{Proto: shim.Proto, Attempt: exchangetest.First.Attempt, Reason: shim.ReasonExited, Outputs: []shim.Output{{Name: "a.md", Size: 8}}})
		return errors.Join(err, os.WriteFile(filepath.Join(folder, "exit.json"), exit, 0o600))
	})
	o.URL = server.URL
	if err := courier.Run(t.Context(), o); err != nil {
		t.Error(err)
	}
	if exit, err := station.Exit(t); err != nil || len(exit.Outputs) != 1 || lost != 1 {
		t.Errorf("it ended as %+v, %v", exit, err)
	}
}
