package shim

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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
	backup, another, restored := filepath.Join(dir, "backup", original), filepath.Join(dir, "other/state"), filepath.Join(dir, "restored")
	written := func(root string) Spec {
		spec := Spec{Proto: Proto, Run: "r", Task: "t", Attempt: "a1", Agent: "command", Isolation: "none", Writes: "artifacts", Timeout: Duration(time.Minute), Workspace: filepath.Join(root, "work/r/a1")}
		spec.Job.Dir, spec.Job.Out, spec.Job.Home = spec.Workspace, filepath.Join(at(root), "out"), filepath.Join(at(root), "home")
		spec.Masked = []string{root, dir + "/state-of-others", dir + "/private"}
		return spec
	}
	elsewhere := filepath.Join(dir, "elsewhere")
	for _, folder := range []string{at(original), at(copied), at(moved), at(backup), at(another), at(restored), elsewhere} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink(original, link), WriteSpec(at(original), written(original)), WriteSpec(at(copied), written(original)),
		WriteSpec(at(moved), written(filepath.Join(dir, "gone"))), WriteSpec(at(backup), written(original)), WriteSpec(at(another), written(original)),
		WriteSpec(at(restored), written("/mnt"+restored)), WriteSpec(elsewhere, written(original))); err != nil {
		t.Fatal(err)
	}
	for folder, root := range map[string]string{
		at(original): original, at(original) + "/": original, at(link): original, at(copied): copied, at(moved): moved, at(backup): backup, at(another): another,
		at(restored): restored, elsewhere: original,
	} {
		spec, err := ReadSpec(folder)
		want := written(root)
		if err != nil || spec.Job.Dir != want.Job.Dir || spec.Job.Out != want.Job.Out || spec.Job.Home != want.Job.Home || spec.Workspace != want.Workspace {
			t.Errorf("%s: %+v, workspace %s, %v", folder, spec.Job, spec.Workspace, err)
		}
		if !slices.Equal(spec.Masked, want.Masked) {
			t.Errorf("%s hides %q, want %q", folder, spec.Masked, want.Masked)
		}
		if copied := root != original; spec.Copied != copied {
			t.Errorf("%s: copied is %v", folder, spec.Copied)
		}
	}
}
