package courier_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/courier"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
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
		URL: station.URL(), Token: exchangetest.Token(exchangetest.First), Dir: station.Workers(), Log: slog.New(slog.NewTextHandler(log, nil)),
		Lay:       func(context.Context, string, shim.Spec, *courier.Base) error { return nil },
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
