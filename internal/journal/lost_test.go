package journal

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
)

// TestAFolderIsLostUnderTheEngine: it is written again from its first event, with everything that attempts left. One that was
// altered is refused.
func TestAFolderIsLostUnderTheEngine(t *testing.T) {
	h := openedAgain(t)
	last := len(h.events) - 1
	for what, harm := range map[string]func(root string) error{
		"all folders":  os.RemoveAll,
		"the folder":   func(root string) error { return os.RemoveAll(filepath.Join(root, againRun)) },
		"the manifest": func(root string) error { return os.Remove(filepath.Join(root, againRun, runfolder.ManifestFile)) },
		"its content":  func(root string) error { return os.Truncate(filepath.Join(root, againRun, runfolder.ManifestFile), 0) },
	} {
		t.Run(what, func(t *testing.T) {
			root := filepath.Join(t.TempDir(), "runs")
			j := New(root, h.objects, slog.New(slog.DiscardHandler))
			defer j.Close()
			if err := j.Append(t.Context(), h.run(), h.events[:last], core.Bodies{}); err != nil {
				t.Fatal(err)
			}
			want := h.left(root)
			if err := harm(root); err != nil {
				t.Fatal(err)
			}
			seq, err := j.Seq(t.Context(), h.run())
			if err != nil || seq != 0 {
				t.Fatalf("the journal is at %d, %v", seq, err)
			}
			if err := j.Append(t.Context(), h.run(), h.events[:last], core.Bodies{}); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, h.left(root)); diff != "" {
				t.Errorf("-before +after\n%s", diff)
			}
			if err := j.Append(t.Context(), h.run(), h.events[last:], core.Bodies{}); err != nil {
				t.Error(err)
			}
			if seq, err := j.Seq(t.Context(), h.run()); err != nil || seq != int64(len(h.events)) {
				t.Errorf("the journal is at %d of %d, %v", seq, len(h.events), err)
			}
		})
	}
	t.Run("altered", func(t *testing.T) {
		root := t.TempDir()
		j := New(root, h.objects, slog.New(slog.DiscardHandler))
		defer j.Close()
		if err := j.Append(t.Context(), h.run(), h.events[:last], core.Bodies{}); err != nil {
			t.Fatal(err)
		}
		line, err := h.events[0].Line()
		if err == nil {
			err = os.Truncate(filepath.Join(root, againRun, runfolder.ManifestFile), int64(len(line)+1))
		}
		if err != nil {
			t.Fatal(err)
		}
		if seq, err := j.Seq(t.Context(), h.run()); err != nil || seq != int64(last) {
			t.Errorf("the journal is at %d of %d, %v", seq, last, err)
		}
		if err := j.Append(t.Context(), h.run(), h.events[last:], core.Bodies{}); err == nil {
			t.Error("it was continued")
		}
	})
}

// TestWhatIsWrittenGoesToTheFolderThatIsThere: one that is open may have been removed or replaced since.
func TestWhatIsWrittenGoesToTheFolderThatIsThere(t *testing.T) {
	for what, harm := range map[string]func(dir string) error{
		"removed":  os.RemoveAll,
		"replaced": func(dir string) error { return errors.Join(os.Rename(dir, dir+".old"), os.Mkdir(dir, 0o700)) },
	} {
		t.Run(what, func(t *testing.T) {
			j := New(t.TempDir(), nil, slog.New(slog.DiscardHandler))
			defer j.Close()
			write := func(name string) {
				t.Helper()
				if err := j.Use("r1", func(f *runfolder.Folder) error { return f.Artifact("plan", 1, name, strings.NewReader("x")) }); err != nil {
					t.Fatal(err)
				}
			}
			write("before.md")
			if err := harm(j.Dir("r1")); err != nil {
				t.Fatal(err)
			}
			write("after.md")
			if _, err := os.Stat(filepath.Join(j.Dir("r1"), "artifacts", "latest", "after.md")); err != nil {
				t.Error(err)
			}
		})
	}
}
