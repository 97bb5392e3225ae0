package forges

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/local"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

const tokenOfTest = "a-token-of-a-test-0123456789"

// setForge writes the person's settings, and returns the file of the token.
func setForge(t *testing.T, settings string) string {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"GITHUB_TOKEN", "GITEA_TOKEN", "STELLWERK_FORGE"} {
		t.Setenv(name, "")
	}
	t.Setenv("XDG_CONFIG_HOME", home)
	token := filepath.Join(home, "token")
	for name, text := range map[string]string{
		token: tokenOfTest, filepath.Join(home, "stellwerk", "config.yaml"): strings.ReplaceAll(settings, "TOKEN", token),
	} {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return token
}

// TestTheTokenIsForOneServer holds whom git is given it for.
func TestTheTokenIsForOneServer(t *testing.T) {
	tests := []struct {
		settings string
		given    []string
		refused  []string
	}{
		{
			"{forge: gitea, forge_url: 'https://Git.example.org/git', forge_token_file: TOKEN}",
			[]string{"https://git.example.org/acme/rocket.git", "https://GIT.example.org:443/acme/rocket.git"},
			[]string{
				"http://git.example.org/acme/rocket.git", "https://git.example.org:8443/x.git", "https://git.example.org.evil.org/x.git",
				"https://evil.org/git.example.org/x.git", "https://git.example.org@evil.org/x.git", "git@git.example.org:acme/rocket.git",
			},
		},
		{
			"{forge: github, forge_token_file: TOKEN}",
			[]string{"https://github.com/acme/rocket.git"},
			[]string{"http://github.com/acme/rocket.git", "https://github.com.evil.org/x.git", "https://api.github.com.evil.org/x"},
		},
		{"{forge_url: 'https://git.example.org', forge_token_file: TOKEN}", nil, []string{"https://git.example.org/acme/rocket.git"}},
	}
	for _, test := range tests {
		setForge(t, test.settings)
		for _, address := range test.given {
			if c, err := GitCredential(t.Context(), address); err != nil || c.Secret != tokenOfTest {
				t.Errorf("%s: %s is not given the token: %v", test.settings, address, err)
			}
		}
		for _, address := range test.refused {
			if c, err := GitCredential(t.Context(), address); err != nil || c.Secret != "" {
				t.Errorf("%s: %s is given the token (%v)", test.settings, address, err)
			}
		}
	}
}

// TestARunNamesItsForge and the settings decide whether it may be asked.
func TestARunNamesItsForge(t *testing.T) {
	token := setForge(t, "{forge: gitea, forge_url: 'https://git.example.org/', forge_token_file: TOKEN}")
	all := New(local.New(sqlitetest.New(t), t.TempDir()))
	run := &core.Run{Forge: "gitea", ForgeURL: "https://git.example.org", Repository: "acme/rocket"}
	first, err := all.Forge(run)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := all.Forge(run); err != nil || again != first {
		t.Errorf("another client for the same repository: %v", err)
	}
	if err := os.WriteFile(token, []byte("renewed-"+tokenOfTest), 0o600); err != nil {
		t.Fatal(err)
	}
	if renewed, err := all.Forge(run); err != nil || renewed == first {
		t.Errorf("a token that was renewed is not used: %v", err)
	}
	if err := os.Chmod(token, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := all.Forge(run); !errors.Is(err, forge.ErrTokenFile) {
		t.Errorf("a token that anybody reads: %v", err)
	}
	for _, other := range []core.Run{
		{Forge: "gitea", ForgeURL: "https://evil.example.org", Repository: "acme/rocket"},
		{Forge: "github", ForgeURL: "https://git.example.org", Repository: "acme/rocket"},
	} {
		if _, err := all.Forge(&other); core.CodeOf(err) != core.CodeConflict {
			t.Errorf("%+v: %v", other, err)
		}
	}
	if f, err := all.Forge(&core.Run{Forge: "local"}); err != nil || f != all.local {
		t.Errorf("the local forge: %v, %v", f, err)
	}
}
