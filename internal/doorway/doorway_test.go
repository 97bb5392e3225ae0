package doorway_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/doorway"
)

func TestOnlyThePersonCanReadIt(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if err := os.MkdirAll(filepath.Join(state, "open"), 0o755); err != nil {
		t.Fatal(err)
	}
	path, err := doorway.Open(state, "n1", `http://h/sign-in?next=%2F&x="><script>#A-B`)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if link := `http://h/sign-in?next=%2F&amp;x=&#34;&gt;&lt;script&gt;#A-B`; strings.Count(string(text), link) != 2 || strings.Contains(string(text), "<script") {
		t.Errorf("the page is %s", text)
	}
	if _, err := doorway.Open(state, "n2", "javascript:alert(1)"); err == nil {
		t.Error("a browser would be led to a script")
	}
}

func TestPagesAreRemoved(t *testing.T) {
	state := t.TempDir()
	if err := errors.Join(doorway.Close(state, "none"), doorway.Sweep(state, time.Now())); err != nil {
		t.Error(err)
	}
	now := time.Now()
	paths := map[string]string{}
	for name, age := range map[string]time.Duration{"old": time.Hour, "new": 0, "used": 0} {
		path, err := doorway.Open(state, name, "http://h/#A-B")
		if err == nil {
			err = os.Chtimes(path, now.Add(-age), now.Add(-age))
		}
		if err != nil {
			t.Fatal(err)
		}
		paths[name] = path
	}
	if err := errors.Join(doorway.Close(state, "used"), doorway.Sweep(state, now.Add(-time.Minute))); err != nil {
		t.Error(err)
	}
	for name, there := range map[string]bool{"old": false, "new": true, "used": false} {
		if _, err := os.Stat(paths[name]); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}
