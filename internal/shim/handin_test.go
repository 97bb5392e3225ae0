package shim

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestOnlyFilesAreHandedIn: what the child left is a claim, and lies where the
// agent's code may have run.
func TestOnlyFilesAreHandedIn(t *testing.T) {
	const result = `{"commit": "c1", "checkpoint": true}`
	link := func(dir, name string) error { return os.Symlink("elsewhere", filepath.Join(dir, name)) }
	for name, c := range map[string]struct {
		leave func(dir string) error
		want  string // part of the error; "" where it is taken
	}{
		"a bundle": {func(dir string) error { return os.WriteFile(filepath.Join(dir, bundleFile), []byte("pack"), 0o600) }, ""},
		"none":     {func(string) error { return nil }, "no such file"},
		"a link":   {func(dir string) error { return link(dir, bundleFile) }, "not a regular file"},
		"a folder": {func(dir string) error { return os.Mkdir(filepath.Join(dir, bundleFile), 0o700) }, "not a regular file"},
		"a pipe":   {func(dir string) error { return syscall.Mkfifo(filepath.Join(dir, bundleFile), 0o600) }, "not a regular file"},
		"a result that is a link": {func(dir string) error {
			if err := os.Remove(filepath.Join(dir, "result.json")); err != nil {
				return err
			}
			return link(dir, "result.json")
		}, "not a regular file"},
		"a result that is too large": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "result.json"), []byte(result+strings.Repeat(" ", 64<<10)), 0o600)
		}, "larger than"},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			dir := filepath.Join(folder, handInDir)
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			for file, text := range map[string]string{"result.json": result, "elsewhere": result} {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := c.leave(dir); err != nil {
				t.Fatal(err)
			}
			got, err := acceptHandIn(folder, dir)
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			if err != nil || got.Bundle != bundleFile || got.Size != 4 || got.Commit != "c1" || len(got.SHA256) != 64 {
				t.Errorf("got %+v, %v", got, err)
			}
			if data, err := os.ReadFile(filepath.Join(folder, bundleFile)); err != nil || string(data) != "pack" {
				t.Errorf("kept is %q, %v", data, err)
			}
		})
	}
}
