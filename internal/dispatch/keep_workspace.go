package dispatch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// keepWorkspace moves a workspace whose work is nowhere else into the attempt's folder, which
// nobody cleans up. It may be called again after a crash: if the workspace was moved already,
// the rest is done now.
func (d *Dispatcher) keepWorkspace(run *core.Run, attempt string) (string, error) {
	folder := d.Layout.Attempt(run.ID, attempt)
	if packed := filepath.Join(folder, wire.FileWorkspace); !d.Exchange.Shared() {
		_, err := os.Stat(packed) // its worker has sent it
		return packed, err
	}
	kept := filepath.Join(folder, "workspace")
	err := os.Rename(d.workspace(run, attempt), kept)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("keep a workspace: %w", err)
	}
	if err := disarm(kept); err != nil {
		return "", fmt.Errorf("disarm a kept workspace: %w", err)
	}
	return kept, nil
}

// disarm renames everything that makes a folder a git repository: a person who ran git there
// would have it obey the agent's configuration, outside of any sandbox. A missing folder needs
// nothing.
func disarm(dir string) error {
	if err := yard.OpenFolders(dir); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	}
	var armed []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && (strings.EqualFold(entry.Name(), ".git") || bareHead(path)) {
			armed = append(armed, path)
		}
		return err
	})
	if err != nil {
		return err
	}
	for _, path := range slices.Backward(armed) { // what is inside before what is around it
		name := "dot-" + strings.TrimPrefix(strings.ToLower(filepath.Base(path)), ".")
		free, err := freeName(filepath.Join(filepath.Dir(path), name))
		if err != nil {
			return err
		}
		if err := os.Rename(path, free); err != nil {
			return err
		}
	}
	return nil
}

// bareHead reports the HEAD without which git does not take a folder for a
// repository. A bare one needs no .git, and what was a .git is one.
func bareHead(path string) bool {
	if !strings.EqualFold(filepath.Base(path), "HEAD") {
		return false
	}
	for _, beside := range []string{"objects", "commondir"} {
		if _, err := os.Lstat(filepath.Join(filepath.Dir(path), beside)); err == nil {
			return true
		}
	}
	return false
}

// freeName is the path, or if that exists the first free one with a number.
func freeName(path string) (string, error) {
	for name, n := path, 2; ; n++ {
		_, err := os.Lstat(name)
		if errors.Is(err, os.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		name = fmt.Sprintf("%s-%d", path, n)
	}
}
