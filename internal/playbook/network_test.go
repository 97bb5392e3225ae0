package playbook

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// reaching is a playbook with a network of its own, of a role and of a phase.
func reaching(top, role, phase string) string {
	return "name: p\nkind: phases\nnetwork: " + top + "\nagents: {a: {use: command, run: [agent]}}\nroles: {r: {agent: a, description: Works., network: " + role +
		"}}\nphases:\n  - {id: x, role: r, outputs: [x.md], network: " + phase + "}\n"
}

func TestReadNetwork(t *testing.T) {
	names := func(n ...string) core.Reach { return core.Reach{Names: n} }
	none := core.Reach{None: true}
	for _, c := range []struct {
		top, role, phase string
		want             core.Reaches
		ofRole, ofPhase  core.Reach
	}{
		{"none", "[npm]", "[API.example.com]", core.Reaches{Attempts: none}, names("npm"), names("api.example.com")},
		{"[npm, 'api.example.com:8443']", "none", "['*.example.org']", core.Reaches{Attempts: names("npm", "api.example.com:8443")}, none, names("*.example.org")},
		{"{setup: [go], checks: ['127.0.0.2:5432'], attempts: none}", "none", "none",
			core.Reaches{Attempts: none, Setup: names("go"), Checks: names("127.0.0.2:5432")}, none, none},
	} {
		p, _, err := Parse("p.yaml", []byte(reaching(c.top, c.role, c.phase)), Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.top, err)
		}
		if diff := cmp.Diff([]any{c.want, c.ofRole, c.ofPhase}, []any{p.Network, p.Roles["r"].Network, p.Phases[0].Network}); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.top, diff)
		}
		written, err := Render(*p)
		if err != nil {
			t.Fatal(err)
		}
		again, _, err := Parse("p.yaml", written, Options{})
		if err != nil || cmp.Diff(p.Network, again.Network) != "" || cmp.Diff(p.Phases[0].Network, again.Phases[0].Network) != "" ||
			cmp.Diff(p.Roles["r"].Network, again.Roles["r"].Network) != "" {
			t.Errorf("%s, rendered and read again: %v\n%s", c.top, err, written)
		}
	}
}

func TestReadBadNetwork(t *testing.T) {
	for bad, want := range map[string]string{
		"open":                       "only you can open the network",
		"[]":                         "the list is empty",
		"npm":                        "expected a list",
		"['https://']":               "p.yaml:3:",
		"['*']":                      "p.yaml:3:",
		"[{host: x}]":                "p.yaml:3:",
		"{attempt: none}":            "attempt",
		"['api.example.com:999999']": "p.yaml:3:",
	} {
		_, _, err := Parse("p.yaml", []byte(reaching(bad, "none", "none")), Options{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", bad, err)
		}
	}
}
