package dispatch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// TestOneSearchServesForAWhile starts many processes, and searches once; what was
// found is never older than that.
func TestOneSearchServesForAWhile(t *testing.T) {
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		searches := 0
		p := privateFiles{search: func() []string {
			searches++
			return []string{password}
		}}
		ask := func(want int) {
			t.Helper()
			if got := p.list(); !slices.Equal(got, []string{password}) || searches != want {
				t.Errorf("%q after %d searches, want %d", got, searches, want)
			}
		}
		ask(1)
		time.Sleep(privateLasts - time.Nanosecond)
		ask(1)
		time.Sleep(time.Nanosecond)
		ask(2)
	})
}

// TestWhatIsGoneIsNotHidden: a file that was deleted after the search keeps no process from starting.
func TestWhatIsGoneIsNotHidden(t *testing.T) {
	dir := t.TempDir()
	stays, goes := filepath.Join(dir, "stays"), filepath.Join(dir, "goes")
	for _, path := range []string{stays, goes} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := privateFiles{search: func() []string { return []string{goes, stays} }}
	if got := p.list(); !slices.Equal(got, []string{goes, stays}) {
		t.Errorf("%q", got)
	}
	if err := os.Remove(goes); err != nil {
		t.Fatal(err)
	}
	if got := p.list(); !slices.Equal(got, []string{stays}) {
		t.Errorf("%q", got)
	}
}
