package dispatch

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestCachesAreNotKeptThroughLinks: the checkout is an agent's work, and the
// engine copies outside of any sandbox.
func TestCachesAreNotKeptThroughLinks(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	precious := filepath.Join(home, "node_modules", "precious")
	write(t, precious, "mine")
	stored := filepath.Join(t.TempDir(), "stored")
	write(t, filepath.Join(stored, "evil.js"), "theirs")
	if err := os.Symlink(home, filepath.Join(dir, "web")); err != nil {
		t.Fatal(err)
	}
	c := &caches{
		checkout: &checkout{dir: dir},
		entries:  []cacheEntry{{inside: filepath.Join(dir, "web", "node_modules"), stored: stored}},
	}
	var refused *setupError
	if _, err := c.restore(t.Context()); !errors.As(err, &refused) {
		t.Errorf("restore: %v", err)
	}
	c.entries[0].stored = filepath.Join(t.TempDir(), "new")
	if err := c.save(t.Context()); !errors.As(err, &refused) {
		t.Errorf("save: %v", err)
	}
	if data, err := os.ReadFile(precious); err != nil || string(data) != "mine" {
		t.Errorf("the person's file is %q, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(home, "node_modules", "evil.js")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the cache was written through a link: %v", err)
	}
}

func TestCachesComeBack(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	stored := filepath.Join(t.TempDir(), "stored")
	write(t, filepath.Join(first, "deps", "lib"), "built")
	if err := os.Symlink("lib", filepath.Join(first, "deps", "link")); err != nil {
		t.Fatal(err)
	}
	entry := func(dir string) *caches {
		return &caches{checkout: &checkout{dir: dir}, entries: []cacheEntry{{inside: filepath.Join(dir, "deps"), stored: stored}}}
	}
	if restored, err := entry(first).restore(t.Context()); restored || err != nil {
		t.Fatalf("restored %v from nothing, %v", restored, err)
	}
	if err := entry(first).save(t.Context()); err != nil {
		t.Fatal(err)
	}
	if restored, err := entry(second).restore(t.Context()); !restored || err != nil {
		t.Fatalf("restored %v, %v", restored, err)
	}
	if data, err := os.ReadFile(filepath.Join(second, "deps", "link")); err != nil || string(data) != "built" {
		t.Fatalf("got %q, %v", data, err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
