package preflight

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestOnlyVariablesOfTheAttemptCount holds that a variable of the engine's environment is no credential of an agent that
// does not get it.
func TestOnlyVariablesOfTheAttemptCount(t *testing.T) {
	tests := []struct {
		name  string
		agent core.Agent
		host  map[string]string
		stops string
	}{
		{"only in the engine's environment", core.Agent{}, map[string]string{"CLOUD": "1"}, "no credential"},
		{"set by the agent", core.Agent{Env: map[string]string{"CLOUD": "1"}}, nil, ""},
		{"handed on by name", core.Agent{Secrets: []string{"CLOUD"}}, map[string]string{"CLOUD": "1"}, ""},
		{"named and not set", core.Agent{Secrets: []string{"CLOUD"}}, nil, "needs CLOUD"},
		{"known to the program", core.Agent{}, map[string]string{"KEY": "1"}, ""},
		{"known to the program and not set", core.Agent{}, nil, "no credential"},
	}
	for _, tt := range tests {
		in := stage(nil)
		in.Place.Getenv = func(name string) string { return tt.host[name] }
		in.Handed = func(string) []string { return []string{"KEY"} }
		in.Lacks = func(_ string, lookup func(string) string) string {
			if lookup("KEY")+lookup("CLOUD") == "" {
				return "it has no credential; set KEY"
			}
			return ""
		}
		said := ""
		if found := in.credential("a", tt.agent); found != nil {
			said = found.what
		}
		if (said == "") != (tt.stops == "") || !strings.Contains(said, tt.stops) {
			t.Errorf("%s: %q, want %q", tt.name, said, tt.stops)
		}
	}
}
