package courier

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// TestAWorkspaceThatIsNone does not keep its attempt from ending: there is nothing to send, and a link is not followed.
func TestAWorkspaceThatIsNone(t *testing.T) {
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
		a := &attempt{Options: Options{Log: slog.New(slog.DiscardHandler)}, root: root, most: maxSent}
		names, err := a.files(&shim.Exit{HandIn: &shim.HandIn{Error: "it took too long"}})
		if err != nil || slices.Contains(names, wire.FileWorkspace) != (name == "a folder") {
			t.Errorf("%s: sent are %q, %v", name, names, err)
		}
	}
}

// TestWorkThatIsTooLarge to be sent stays here, and the end says so. If only the commits are too many, the workspace is sent.
func TestWorkThatIsTooLarge(t *testing.T) {
	for name, c := range map[string]struct {
		bundle, file int
		most         int64
		sent         []string
		says         string
		stays        bool
	}{
		"nothing": {10, 10, 1 << 20, []string{"out/a.md", wire.FileBundle}, "", false},
		"at most": {1 << 20, 10, 1 << 20, []string{"out/a.md", wire.FileBundle}, "", false},
		"commits": {1<<20 + 1, 10, 1 << 20, []string{"out/a.md", wire.FileWorkspace}, "its commits have 1048577 bytes; at most 1048576", true},
		"both":    {1<<20 + 1, 1 << 20, 1 << 20, []string{"out/a.md"}, "too much to be sent: it stays in ", true},
	} {
		root := t.TempDir()
		work := filepath.Join(root, wire.WorkName)
		if err := errors.Join(os.Mkdir(work, 0o700), os.WriteFile(filepath.Join(work, "file"), make([]byte, c.file), 0o600),
			os.WriteFile(filepath.Join(root, wire.FileBundle), make([]byte, c.bundle), 0o600)); err != nil {
			t.Fatal(err)
		}
		a := &attempt{Options: Options{Log: slog.New(slog.DiscardHandler)}, root: root, most: c.most}
		exit := shim.Exit{Outputs: []shim.Output{{Name: "a.md"}}, HandIn: &shim.HandIn{Bundle: wire.FileBundle, Size: int64(c.bundle)}}
		names, err := a.files(&exit)
		if err != nil || !slices.Equal(names, c.sent) || a.stays != c.stays {
			t.Errorf("%s: sent are %q, %v; some stays: %v", name, names, err, a.stays)
		}
		if !strings.Contains(exit.HandIn.Error, c.says) || (exit.HandIn.Error == "") != (exit.HandIn.Bundle == wire.FileBundle) {
			t.Errorf("%s: the end says %+v", name, exit.HandIn)
		}
	}
}
