package start

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestAPlaybookIsNotGivenTheToken by whatever name the settings have for it.
func TestAPlaybookIsNotGivenTheToken(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", home)
	t.Setenv("STELLWERK_FORGE", "")
	if err := os.Mkdir(filepath.Join(home, "stellwerk"), 0o700); err != nil {
		t.Fatal(err)
	}
	settings := "{forge: gitea, forge_url: 'https://git.example.org', forge_token_env: BOT, webhook_secret_env: HOOK}"
	if err := os.WriteFile(filepath.Join(home, "stellwerk", "config.yaml"), []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	chosen, err := chooseForge(nil)
	if err != nil {
		t.Fatal(err)
	}
	up := upstream{settings: chosen, name: "origin", repository: "acme/rocket"}
	for _, name := range []string{"BOT", "HOOK"} {
		p := &core.Playbook{Agents: map[string]core.Agent{"a": {Secrets: []string{name}}}}
		if err := up.keepsToken(p); core.CodeOf(err) != core.CodeForbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := up.keepsToken(&core.Playbook{Agents: map[string]core.Agent{"a": {Secrets: []string{"OTHER"}}}}); err != nil {
		t.Error(err)
	}
}
