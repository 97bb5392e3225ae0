package remote_test

import (
	"os"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

func TestMain(m *testing.M) {
	worker.Intercept()
	os.Exit(m.Run())
}

func TestContract(t *testing.T) {
	exchangetest.Run(t, func(t *testing.T) exchangetest.Harness {
		station := exchangetest.NewStation(t)
		return exchangetest.Harness{
			Engine: func() (exchange.Exchange, spawn.Spawner) {
				e := station.Engine()
				return e, e.Spawner()
			},
			Prepare: func(script string, changes ...func(*shim.Spec)) string {
				station.Prepare(station.Current(), sandbox.None, script, changes...)
				return station.Shared
			},
		}
	})
}
