package dispatch

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
)

// TestNoCredentialPassesTheBroker: whatever a playbook says of its agent, what a provider knows the person by stays outside.
func TestNoCredentialPassesTheBroker(t *testing.T) {
	const key, token, plan, other = "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "OTHER_TOKEN"
	kept := &Credential{Kind: broker.OAuth, Source: shim.Source{File: "/key"}}
	for name, c := range map[string]struct {
		env        map[string]string // of the engine
		def        map[string]string // of the agent
		use        string
		names      []string
		session    string
		credential *Credential
		want       *shim.Model
		handed     []string
	}{
		"a key": {env: map[string]string{key: "k", other: "o"}, names: []string{key, other},
			want: &shim.Model{Provider: "anthropic", Kind: broker.APIKey, Secret: key}, handed: []string{other}},
		"several, of which the program prefers one": {env: map[string]string{key: "k", token: "t", plan: "p"}, names: []string{key, token, plan},
			want: &shim.Model{Provider: "anthropic", Kind: broker.Bearer, Secret: token}},
		"a gateway": {env: map[string]string{plan: "p", "ANTHROPIC_BASE_URL": "https://gw.example.com"}, names: []string{plan},
			want: &shim.Model{Provider: "anthropic", Kind: broker.OAuth, Secret: plan, Upstream: "https://gw.example.com"}},
		"one that the agent is not to get": {env: map[string]string{key: "k"}},
		"a file": {env: map[string]string{key: "k"}, names: []string{key}, use: "claude", credential: kept,
			want: &shim.Model{Provider: "anthropic", Kind: broker.OAuth, Source: &kept.Source}},
		"a file, of an agent without a provider": {names: []string{other}, use: "command", credential: kept, handed: []string{other}},
		"an agent that claims to sign in to a cloud": {env: map[string]string{key: "k", other: "o"}, names: []string{key, other},
			def: map[string]string{"CLAUDE_CODE_USE_BEDROCK": "1"}, handed: []string{other}},
		"an agent of a session":                      {env: map[string]string{key: "k"}, names: []string{key}, session: "s1"},
		"one that is not set, which stops the start": {names: []string{key}, handed: []string{key}},
	} {
		t.Run(name, func(t *testing.T) {
			r := attemptRoom{def: core.Agent{Use: c.use, Env: c.def}, taken: session.Taken{Session: c.session}, d: &Dispatcher{Options: Options{
				Credential: c.credential, Environ: func(name string) (string, bool) { v, ok := c.env[name]; return v, ok },
				Provider: func(use string) string { return map[string]string{"claude": "anthropic"}[use] },
			}}}
			got, handed := r.model(c.names)
			if diff := cmp.Diff(c.want, got); diff != "" || !slices.Equal(handed, c.handed) {
				t.Errorf("(-want +got)\n%s\nhanded on: %q, want %q", diff, handed, c.handed)
			}
		})
	}
}
