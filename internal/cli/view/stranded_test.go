package view_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
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
