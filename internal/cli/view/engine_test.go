package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// TestWhoWorksOnIt is said of a run and of a project, with whose credentials.
func TestWhoWorksOnIt(t *testing.T) {
	owner := &api.Owner{Host: "attic", Uses: api.Uses{Person: "ada", Forge: "github at https://github.com with GITHUB_TOKEN", Model: "ANTHROPIC_API_KEY"}}
	for what, lines := range map[string][]string{
		"run": plain().Run(api.RunDetail{Run: api.Run{Alias: "r1", Status: "active"}, Owner: owner}), "project": plain().Project(api.ProjectDetail{Owner: owner}),
	} {
		text := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
		for _, want := range []string{"the engine of ada on attic", "publishes as ada there: github at https://github.com with GITHUB_TOKEN", "paid with ANTHROPIC_API_KEY there"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in %s", what, want, text)
			}
		}
	}
}

// TestEngines says of each engine how it stands and what it owns, and what nobody can work on, within 80 columns.
func TestEngines(t *testing.T) {
	at := time.Date(2026, 3, 4, 10, 20, 30, 0, time.UTC)
	lines := plain().Engines(api.EngineList{
		Shared: true,
		Engines: []api.Engine{
			{ID: "e1", Host: "attic", State: api.EngineWorking, Here: true, Version: "1.2", Since: &at, Lease: &at, Attempts: 1, Uses: api.Uses{Person: "ada", Model: "ANTHROPIC_API_KEY"}, Projects: []api.Named{{Name: "shop"}, {Name: "tea"}}},
			{ID: "e2", Host: "barn", State: api.EngineDraining, Drains: &at},
			{ID: "e3", Host: "cellar\x1b[31m", State: api.EngineGone, Lease: &at, Projects: []api.Named{{Name: "coffee"}}},
		},
		Stranded: []api.StrandedProject{{Named: api.Named{Name: "cake"}, Reason: "no engine can work on this project; on attic: " + strings.Repeat("no robot ", 20), Next: "start one where it is"}},
	})
	text := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
	for _, want := range []string{
		"attic working version 1.2", "since 2026-03-04 10:20", "lease until 10:20:30", "2 projects: shop, tea", "1 attempt on its machine", "answers you", "as ada: ANTHROPIC_API_KEY",
		"barn draining", "draining since 10:20:30", "no projects", "cellar", "gone", "lease ended 2026-03-04 10:20", "1 project left behind: coffee", "cake no engine", "on attic: no robot", "start one where it is",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	for _, line := range lines {
		if terminal.Width(line) > 80 || strings.Contains(line, "\x1b") {
			t.Errorf("%q", line)
		}
	}
}
