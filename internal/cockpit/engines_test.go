package cockpit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
)

// TestWhoWorksOnIt is on the pages of a run and of a project, with whose credentials.
func TestWhoWorksOnIt(t *testing.T) {
	owner := &api.Owner{Host: "attic" + evil, Uses: api.Uses{Person: "ada", Forge: evil, Model: "ANTHROPIC_API_KEY"}}
	svc := &apitest.Service{ProjectAnswer: api.ProjectDetail{Project: api.Project{ID: "p1", Name: "shop"}, Owner: owner}}
	svc.Put(api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Status: "active"}, Owner: owner})
	h := serve(t, svc, api.RoleViewer)
	for _, address := range []string{"/runs/r1", "/projects/shop"} {
		_, body := get(t, h, address)
		for _, want := range []string{"the engine of ada on attic", "publishes as ada there", "paid with ANTHROPIC_API_KEY there"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q", address, want)
			}
		}
		harmless(t, address, body)
	}
}

// TestEngines shows who works on the store, who is gone, and what nobody can work on.
func TestEngines(t *testing.T) {
	at := time.Date(2026, 3, 4, 10, 20, 30, 0, time.UTC)
	svc := &apitest.Service{}
	svc.Shelf.Engines = api.EngineList{
		Shared: true,
		Engines: []api.Engine{
			{ID: "e1", Host: "attic", State: api.EngineDraining, Here: true, Version: "1.2", Since: &at, Drains: &at, Lease: &at, URL: "https://attic:7443", Attempts: 2, Projects: []api.Named{{ID: "p1", Name: "shop"}}},
			{ID: "e2", Host: evil, State: api.EngineGone, Version: evil, Lease: &at, URL: evil, Projects: []api.Named{{ID: "p2", Name: evil}}},
		},
		Stranded: []api.StrandedProject{{Named: api.Named{ID: "p3", Name: "tea"}, Reason: "on attic: no robot" + evil, Next: "start one where it is", Since: at}},
	}
	_, body := get(t, serve(t, svc, api.RoleViewer), "/settings/engines")
	for _, want := range []string{
		"attic", "draining", "shows you this page", "version 1.2", "lease until 10:20:30 UTC", "2 attempts on its machine", "https://attic:7443",
		`<a href="/projects/shop">shop</a>`, "gone", "lease ended", "no engine can work on", "on attic: no robot", "start one where it is",
	} {
		if !strings.Contains(strings.ToLower(body), strings.ToLower(want)) {
			t.Errorf("the page does not say %q", want)
		}
	}
	harmless(t, "engines", body)
	svc.Shelf.Engines = api.EngineList{Engines: []api.Engine{{ID: "e1", Host: "attic", State: api.EngineWorking, Here: true}}}
	if _, body := get(t, serve(t, svc, api.RoleViewer), "/settings/engines"); !strings.Contains(body, "has its store to itself") || strings.Contains(body, "shows you this page") {
		t.Error("an engine with a store of its own is shown as one of several")
	}
}
