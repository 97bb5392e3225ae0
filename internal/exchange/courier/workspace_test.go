package courier

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestAWorkspaceThatIsNone does not keep its attempt from ending: there is nothing to send, and a link is not followed.
func TestAWorkspaceThatIsNone(t *testing.T) {
	exit := shim.Exit{HandIn: &shim.HandIn{Error: "it took too long"}}
	for name, put := range map[string]func(work string) error{
		"gone":     func(string) error { return nil },
		"a link":   func(work string) error { return os.Symlink(t.TempDir(), work) },
		"a file":   func(work string) error { return os.WriteFile(work, nil, 0o600) },
		"a folder": func(work string) error { return os.Mkdir(work, 0o700) },
	} {
		root := t.TempDir()
		if err := put(filepath.Join(root, wire.WorkName)); err != nil {
			t.Fatal(err)
		}
		a := &attempt{Options: Options{Log: slog.New(slog.DiscardHandler)}, root: root}
		names, err := a.files(exit)
		if err != nil || slices.Contains(names, wire.FileWorkspace) != (name == "a folder") {
			t.Errorf("%s: sent are %q, %v", name, names, err)
		}
	}
}
