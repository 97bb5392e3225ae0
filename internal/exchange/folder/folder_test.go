package folder_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/folder"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

func TestMain(m *testing.M) {
	worker.Intercept()
	os.Exit(m.Run())
}

func TestContract(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	exchangetest.Run(t, func(t *testing.T) exchangetest.Harness {
		dir := filepath.Join(t.TempDir(), "none") // until there is an attempt
		at := func(id spawn.ID) string {
			if id == exchangetest.First {
				return dir
			}
			return filepath.Join(dir, "none")
		}
		return exchangetest.Harness{
			Engine: func() (exchange.Exchange, spawn.Spawner) {
				s := local.New(local.Options{Worker: worker.Command(self), Salvage: worker.Rescue(self), Folder: at})
				t.Cleanup(func() {
					ctx, cancel := context.WithTimeout(context.Background(), waittest.Limit)
					defer cancel()
					if err := s.Drain(ctx); err != nil {
						t.Error(err)
					}
				})
				return folder.Exchange{Folder: at}, s
			},
			Prepare: func(script string, changes ...func(*shim.Spec)) string {
				shared := t.TempDir()
				a := shimtest.New(t, sandbox.None, script, append(changes, func(s *shim.Spec) {
					s.Agent, s.Secrets, s.Env = "command", []string{"TOKEN"}, map[string]string{"SHARED": shared}
					s.Job.Options = map[string]string{"yard": filepath.Join(s.Workspace+s.Job.Dir, ".git")}
				})...)
				dir = a.Folder
				return shared
			},
		}
	})
}
