package view_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

// TestARunThatNoEngineCanWorkOn says so in the list and by itself, and does not look as if it ran.
func TestARunThatNoEngineCanWorkOn(t *testing.T) {
	run := api.Run{Alias: "r1", Status: "active", Stranded: "no engine can work on this project; on attic: no robot"}
	for what, lines := range map[string][]string{
		"list": plain().Runs([]api.Run{run}), "run": plain().Run(api.RunDetail{Run: run}),
	} {
		text := strings.Join(lines, " ")
		if !strings.Contains(text, "no robot") || !strings.Contains(text, "no engine") || strings.Contains(text, "running") {
			t.Errorf("%s: %s", what, text)
		}
	}
}

// TestAProjectThatNoEngineCanWorkOn says so in the list and by itself, within 80 columns.
func TestAProjectThatNoEngineCanWorkOn(t *testing.T) {
	project := api.Project{
		Name: "shop", Status: "active", State: api.ProjectStranded, Repository: "/srv/shop", Epic: "Sell tea",
		Reason: "no engine can work on this project; on attic: run calm-fox: no robot; provide what is missing on one of these machines",
	}
	for what, lines := range map[string][]string{
		"list": plain().Projects([]api.Project{project}), "project": plain().Project(api.ProjectDetail{Project: project}),
	} {
		text := strings.Join(strings.Fields(strings.Join(lines, " ")), " ")
		if !strings.Contains(text, "no robot") || !strings.Contains(text, "no engine ") || strings.Contains(text, "running") {
			t.Errorf("%s: %s", what, text)
		}
		for _, line := range lines {
			if terminal.Width(line) > 80 {
				t.Errorf("%s: %d columns: %s", what, terminal.Width(line), line)
			}
		}
	}
}
