package config

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestARepositoryNamesNoForge: whatever it says of one is refused, and said.
func TestARepositoryNamesNoForge(t *testing.T) {
	hostile := map[string]string{
		"forge": "gitea", "forge_url": "https://evil.example.org", "repository": "evil/rocket", "remote": "evil", "forge_token_env": "AWS_SECRET_ACCESS_KEY",
		"forge_token_file": "/home/ada/.ssh/id_ed25519", "forge_poll": "1s", "webhook_secret_env": "HOME", "webhook_secret_file": "/etc/hostname",
	}
	if all := len(new(ForgeSettings).table()); len(hostile) != all {
		t.Errorf("%d settings of the forge, %d tried", all, len(hostile))
	}
	for key, value := range hostile {
		s, warnings, err := Load(Input{Project: File{"project.yaml", []byte(key + ": " + value + "\n")}})
		if err != nil {
			t.Fatal(err)
		}
		if len(warnings) != 1 || !strings.Contains(warnings[0].String(), "a repository cannot set "+key) {
			t.Errorf("%s: warnings %v", key, warnings)
		}
		if s.Forge != Defaults().Forge {
			t.Errorf("%s: %+v", key, s.Forge)
		}
	}
}

func TestForgeSettings(t *testing.T) {
	tests := []struct {
		name, file               string
		remote, variable, server string
	}{
		{"nothing", "", "", "", ""},
		{"local with a remote", "remote: origin", "origin", "", ""},
		{"github.com", "forge: github", "origin", "GITHUB_TOKEN", "https://github.com"},
		{"Enterprise", "{forge: github, forge_url: https://Git.Example.org/api/v3, remote: up}", "up", "GITHUB_TOKEN", "https://git.example.org"},
		{"ghe.com", "{forge: github, forge_url: https://api.acme.ghe.com}", "origin", "GITHUB_TOKEN", "https://acme.ghe.com"},
		{"Gitea", "{forge: gitea, forge_url: 'http://127.0.0.1:3000/git', forge_token_env: BOT}", "origin", "BOT", "http://127.0.0.1:3000"},
		{"from a file", "{forge: gitea, forge_url: 'https://g.example.org', forge_token_file: /t}", "origin", "", "https://g.example.org"},
	}
	for _, test := range tests {
		s, _, err := Load(Input{User: File{"user.yaml", []byte(test.file)}})
		if err != nil {
			t.Fatal(err)
		}
		server := ""
		if u := s.Forge.Server(); u != nil {
			server = u.String()
		}
		if s.Forge.RemoteName() != test.remote || s.Forge.TokenVariable() != test.variable || server != test.server || s.Forge.Check() != nil {
			t.Errorf("%s: remote %q, variable %q, server %q, %v", test.name, s.Forge.RemoteName(), s.Forge.TokenVariable(), server, s.Forge.Check())
		}
	}
	s, _, err := Load(Input{Env: environment("STELLWERK_FORGE", "gitea", "STELLWERK_FORGE_POLL", "90s")})
	if err != nil || s.Forge.Poll.V != 90*time.Second {
		t.Fatal(s, err)
	}
	if err := s.Forge.Check(); core.CodeOf(err) != core.CodeInvalid || s.Forge.Server() != nil {
		t.Errorf("a Gitea nowhere: %v, %v", err, s.Forge.Server())
	}
}

// TestWrongForgeSettings also holds that a token put in the place of a name does
// not show.
func TestWrongForgeSettings(t *testing.T) {
	for text, want := range map[string]string{
		"forge: gitlab":                          `"gitlab" is not known here`,
		"forge_url: git.example.org":             "an address with https://",
		"forge_url: https://ada:pw@example.org":  "it contains credentials",
		"forge_url: https://example.org/?x=1":    "must not have a query",
		"repository: rocket":                     "owner/name",
		"repository: a/b/c":                      "owner/name",
		"forge_token_env: ghp_0123456789abcdef":  "give the name, not the value",
		"forge_token_file: token":                "not an absolute path",
		"forge_poll: 10ms":                       "between 1s and 1h",
		"forge_poll: 30":                         "between 1s and 1h",
		"remote: '-x'":                           "not a name",
		"webhook_secret_env: 'between the two'":  "a variable's name in capitals",
		"webhook_secret_file: relative/to/where": "not an absolute path",
	} {
		_, _, err := Load(Input{User: File{"user.yaml", []byte(text)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
		if err != nil && (strings.Contains(err.Error(), "ghp_") || strings.Contains(err.Error(), "ada:pw")) {
			t.Errorf("it shows: %v", err)
		}
	}
}
