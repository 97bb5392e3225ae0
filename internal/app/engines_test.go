package app_test

import (
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// pair is a shop with a second engine on the same store and objects.
func pair(t *testing.T) (s *shop, second *app.App) {
	t.Helper()
	s = newShop(t)
	s.close()
	s.state = stateFolder(t)
	shared := t.TempDir()
	open := func(state string) *app.App {
		a, err := app.Open(s.ctx, app.Options{
			State: state, Version: "test", Log: t.Output(), Database: filepath.Join(shared, "s.db"), Objects: filepath.Join(shared, "objects"),
		})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	s.app, second = open(s.state), open(stateFolder(t))
	t.Cleanup(func() {
		if err := second.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, second
}

// TestTheSameRequestAtTwoEngines starts one run, and of one that has to wait, one epic.
func TestTheSameRequestAtTwoEngines(t *testing.T) {
	s, second := pair(t)
	ask := func(goal string, project func() string) (runs [2]api.Run) {
		t.Helper()
		id, err := uuid.NewV7()
		if err != nil {
			t.Fatal(err)
		}
		var both sync.WaitGroup
		for i, a := range []*app.App{s.app, second} {
			both.Go(func() {
				var err error
				req := api.StartRun{Dir: s.dir, Project: project(), Goal: goal, Playbook: "gated", Trust: true, ID: id.String()}
				if runs[i], err = a.Service.StartRun(s.ctx, req); err != nil || runs[i].ID != id.String() {
					t.Errorf("engine %d: %s, %v", i, runs[i].ID, err)
				}
			})
		}
		both.Wait()
		return runs
	}
	first := ask("Sell tea", func() string { return "" })
	all, err := s.app.Service.Runs(s.ctx, api.RunQuery{})
	if err != nil || len(all) != 1 || all[0].ID != first[0].ID {
		t.Fatalf("there are %+v, %v", all, err)
	}
	project := func() string { return s.project().Name }
	waits := ask("Sell coffee", project)
	if waits[0].Epic == nil || waits[1].Epic == nil || waits[0].Epic.ID != waits[1].Epic.ID {
		t.Errorf("they became %+v and %+v", waits[0].Epic, waits[1].Epic)
	}
	if queue := s.project().Queue; len(queue) != 1 || queue[0].Run != waits[0].ID {
		t.Errorf("in the queue are %+v", queue)
	}
	for _, run := range all {
		if run.Status != core.StatusCancelled {
			s.cancel(run)
		}
	}
}
