package shim

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestASpecNamesTheFolderThatItIsFoundIn, so that whoever works on a copy leaves the original alone, and finds what was moved.
func TestASpecNamesTheFolderThatItIsFoundIn(t *testing.T) {
	t.Parallel()
	const below = "attempts/r/a1"
	at := func(root string) string { return filepath.Join(root, below) }
	dir := t.TempDir()
	original, copied, moved, link := filepath.Join(dir, "state"), filepath.Join(dir, "state/copy"), filepath.Join(dir, "moved"), filepath.Join(dir, "link")
	written := func(root string) Spec {
		spec := Spec{Proto: Proto, Run: "r", Task: "t", Attempt: "a1", Agent: "command", Isolation: "none", Writes: "artifacts", Timeout: Duration(time.Minute), Workspace: filepath.Join(root, "work/r/a1")}
		spec.Job.Dir, spec.Job.Out, spec.Job.Home = spec.Workspace, filepath.Join(at(root), "out"), filepath.Join(at(root), "home")
		spec.Masked = []string{root, dir + "/state-of-others"}
		return spec
	}
	elsewhere := filepath.Join(dir, "elsewhere")
	for _, folder := range []string{at(original), at(copied), at(moved), elsewhere} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(original, link), WriteSpec(at(original), written(original)), WriteSpec(at(copied), written(original)),
		WriteSpec(at(moved), written(filepath.Join(dir, "gone"))), WriteSpec(elsewhere, written(original))); err != nil {
		t.Fatal(err)
	}
	for folder, root := range map[string]string{
		at(original): original, at(original) + "/": original, at(link): original, at(copied): copied, at(moved): moved, elsewhere: original,
	} {
		spec, err := ReadSpec(folder)
		want := written(root)
		if err != nil || spec.Job.Dir != want.Job.Dir || spec.Job.Out != want.Job.Out || spec.Job.Home != want.Job.Home || spec.Workspace != want.Workspace {
			t.Errorf("%s: %+v, workspace %s, %v", folder, spec.Job, spec.Workspace, err)
		}
		if spec.Masked[0] != want.Masked[0] || spec.Masked[1] != want.Masked[1] {
			t.Errorf("%s hides %q", folder, spec.Masked)
		}
	}
}
