package journal

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// TestMoreFoldersThanMayBeOpen are written in turns, and what is known of each stays.
func TestMoreFoldersThanMayBeOpen(t *testing.T) {
	s := newShelf(t.TempDir())
	known := map[string]*runfolder.Folder{}
	heads := map[string]core.Head{}
	use := func(run string, same bool) {
		t.Helper()
		err := s.Use(run, func(f *runfolder.Folder) error {
			if (known[run] == f) != same {
				t.Errorf("the folder of %s: the same is %t, want %t", run, !same, same)
			}
			if known[run] = f; f.Head() != heads[run] {
				t.Errorf("%s is at %+v, want %+v", run, f.Head(), heads[run])
			}
			e, next, err := core.Seal(core.RunStream(run), heads[run], time.Unix(100, 0), core.Engine(), "", core.TimerFired{Timer: "t"})
			heads[run] = next
			if err != nil {
				return err
			}
			return f.Append([]core.Event{e}, core.Bodies{}.Read)
		})
		if err != nil {
			t.Fatal(err)
		}
		if s.open.Len() > maxOpen {
			t.Fatalf("%d folders are open", s.open.Len())
		}
	}
	var runs []string
	for n := range maxOpen + 20 {
		runs = append(runs, fmt.Sprintf("r%d", n))
	}
	for round := range 3 {
		for _, run := range runs {
			use(run, round > 0)
		}
	}
	first := runs[0] // closed by now
	if err := os.RemoveAll(s.Dir(first)); err != nil {
		t.Fatal(err)
	}
	heads[first] = core.Head{}
	use(first, false)
	if err := s.forget(first); err != nil {
		t.Fatal(err)
	}
	use(first, false)
	err := s.Use(first, func(f *runfolder.Folder) error { // in use, it stays open whatever comes after it
		for _, run := range runs[1:] {
			use(run, true)
		}
		return f.Sync()
	})
	if err != nil {
		t.Error(err)
	}
	if err := s.close(); err != nil || s.open.Len() > 0 {
		t.Errorf("%d folders are open still, %v", s.open.Len(), err)
	}
}
