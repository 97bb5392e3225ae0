package app_test

import (
	"fmt"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestEnginesOfAStore: each lists both, one that owns nothing included, with what each owns. One that ended is not listed.
func TestEnginesOfAStore(t *testing.T) { stores(t, testEnginesOfAStore) }

func testEnginesOfAStore(t *testing.T, database string) {
	s, second, open := twoEngines(t, database, "another machine", t.Output())
	run := s.run("Sell tea")
	s.until("the plan waits", func(api.ProjectDetail) bool { return !s.busy() })
	lists := func(a *app.App, want string) {
		t.Helper()
		var list api.EngineList
		var err error
		got := ""
		if !waittest.Until(func() bool {
			list, err = a.Service.Engines(s.ctx)
			got = ""
			for _, e := range list.Engines {
				got += fmt.Sprintf("%s here=%v version=%q since=%v lease=%v %d projects; ", e.State, e.Here, e.Version, e.Since != nil, e.Lease != nil, len(e.Projects))
			}
			return err == nil && got == want && list.Shared
		}) {
			t.Fatalf("engines are %s, not %s, %v", got, want, err)
		}
	}
	const owner, other = `working here=%v version="test" since=true lease=true 1 projects; `, `working here=%v version="test" since=true lease=true 0 projects; `
	lists(s.app, fmt.Sprintf(owner+other, true, false))
	lists(second, fmt.Sprintf(owner+other, false, true))
	if list, err := second.Service.Engines(s.ctx); err != nil || list.Engines[0].Projects[0].Name != s.project().Name || list.Engines[0].Projects[0].ID != run.Project {
		t.Errorf("%+v, %v", list, err)
	}
	detail, err := second.Service.Run(s.ctx, run.ID)
	if err != nil || detail.Owner == nil || detail.Owner.Host == "" || detail.Owner.Person != app.Person() {
		t.Errorf("who works on the run is %+v, %v", detail.Owner, err)
	}
	if owner := s.project().Owner; owner == nil || *owner != *detail.Owner {
		t.Errorf("who works on the project is %+v", owner)
	}
	if err := s.app.Close(); err != nil {
		t.Fatal(err)
	}
	lists(second, fmt.Sprintf(other, true))
	if !waittest.Until(func() bool {
		list, err := second.Service.Engines(s.ctx)
		return err == nil && len(list.Stranded) == 1 && list.Stranded[0].ID == run.Project && list.Stranded[0].Name != "" && list.Stranded[0].Reason != "" && list.Stranded[0].Next != ""
	}) {
		t.Error("nobody says that no engine can work on the project")
	}
	s.app = open(app.Options{State: s.state, Log: t.Output()})
	lists(second, fmt.Sprintf(other+owner, true, false))
	s.cancel(run)
	s.until("nobody is at work", func(api.ProjectDetail) bool { return !s.busy() })
}

// TestAnEngineWithAStoreOfItsOwn lists itself.
func TestAnEngineWithAStoreOfItsOwn(t *testing.T) {
	a, err := app.Open(t.Context(), app.Options{State: stateFolder(t), Log: t.Output()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}()
	list, err := a.Service.Engines(t.Context())
	if err != nil || list.Shared || len(list.Engines) != 1 || !list.Engines[0].Here || list.Engines[0].State != api.EngineWorking || list.Engines[0].Host == "" {
		t.Errorf("%+v, %v", list, err)
	}
}
