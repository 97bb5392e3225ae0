package runfolder

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func sideEffectLines(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path, SideEffectsFile))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestSideEffectsAreWrittenOnce repeats a write after every point at which a crash could have cut it short.
func TestSideEffectsAreWrittenOnce(t *testing.T) {
	before := `{"attempt":"a","n":1}` + "\n"
	records := [][]byte{[]byte(`{"attempt":"b","n":1}`), []byte(`{"attempt":"b","n":2}`), []byte(`{"attempt":"b","n":10}`)}
	want := before
	for _, r := range records {
		want += string(r) + "\n"
	}
	for cut := len(before); cut <= len(want); cut++ {
		path := t.TempDir()
		if err := os.WriteFile(filepath.Join(path, SideEffectsFile), []byte(want[:cut]), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := f.SideEffects(records...); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if got := sideEffectLines(t, path); got != want {
			t.Fatalf("cut at %d: got\n%s", cut, got)
		}
	}
}

func TestSideEffectsOfTwoWriters(t *testing.T) {
	path := t.TempDir()
	var writers sync.WaitGroup
	for w := range 4 {
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() }) // only written to through SideEffects, which reports
		writers.Go(func() {
			for n := range 20 {
				if err := f.SideEffects(fmt.Appendf(nil, `{"attempt":"%d","n":%d}`, w/2, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	if n := strings.Count(sideEffectLines(t, path), "\n"); n != 40 {
		t.Errorf("%d lines, want 40", n)
	}
}
