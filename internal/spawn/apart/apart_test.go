package apart_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spawntest"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

func TestMain(m *testing.M) {
	worker.Intercept()
	os.Exit(m.Run())
}

func TestContract(t *testing.T) {
	for _, kind := range shimtest.Kinds(t) {
		t.Run(string(kind), func(t *testing.T) {
			spawntest.Run(t, func(t *testing.T) spawntest.Harness {
				station := exchangetest.NewStation(t)
				return spawntest.Harness{
					Engine: func() spawn.Spawner { return station.Engine().Spawner() },
					Attempt: func(_ *testing.T, script string) spawntest.Attempt {
						station.Prepare(station.Current(), kind, script)
						return spawntest.Attempt{
							Order:  spawn.Order{ID: exchangetest.First, Env: []string{"TOKEN=value", shimtest.QuickExit}},
							Shared: station.Shared, Exit: station.Exit,
						}
					},
					Crash: func(t *testing.T, _ spawntest.Attempt) { kill(t, station) },
				}
			})
		})
	}
}

// kill ends the worker that runs.
func kill(t *testing.T, station *exchangetest.Station) {
	t.Helper()
	marks, err := filepath.Glob(filepath.Join(station.Workers(), "attempt-*", "started"))
	if err != nil || len(marks) != 1 {
		t.Fatalf("%d attempts run, %v", len(marks), err)
	}
	var started shim.Started
	data, err := os.ReadFile(marks[0])
	if err == nil {
		err = json.Unmarshal(data, &started)
	}
	if err == nil {
		err = syscall.Kill(started.PID, syscall.SIGKILL)
	}
	if err != nil {
		t.Fatal(err)
	}
}
