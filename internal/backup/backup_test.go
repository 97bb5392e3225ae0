package backup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestAYardIsCopiedWholeWhileItIsWrittenTo moves refs on to new commits and puts
// packs together anew, while copies are made: none may have a ref without its
// object.
func TestAYardIsCopiedWholeWhileItIsWrittenTo(t *testing.T) {
	from := filepath.Join(t.TempDir(), "busy.git")
	run := func(dir, script string) string {
		cmd := exec.CommandContext(t.Context(), "sh", "-e", "-c", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
			"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.org", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.org")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	run(t.TempDir(), "git init -q --bare "+from)
	const commit = `tree=$(echo "100644 blob $(echo %d | git hash-object -w --stdin)	f" | git mktree)
git update-ref refs/heads/main $(git commit-tree $tree -m %d $(git rev-parse -q --verify refs/heads/main | sed 's/^/-p /'))
git update-ref refs/attempts/r/%d refs/heads/main
`
	run(from, fmt.Sprintf(commit, 0, 0, 0))
	var writing sync.WaitGroup
	stop := make(chan struct{})
	writing.Go(func() {
		for i := 1; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			script := fmt.Sprintf(commit, i, i, i)
			if i%3 == 0 {
				script += "git repack -a -d -q\n"
			}
			run(from, script)
		}
	})
	defer writing.Wait()
	defer close(stop)
	for i := range 12 {
		to := filepath.Join(t.TempDir(), "copy.git")
		if err := copyYard(t.Context(), from, to); err != nil {
			t.Fatal(err)
		}
		if said := run(to, "git fsck --connectivity-only --no-dangling 2>&1; git log --oneline main | tail -1"); strings.Contains(said, "missing") || strings.Contains(said, "error") {
			t.Fatalf("copy %d: %s", i, said)
		}
	}
}

func TestABackupThatIsNotWholeIsNotRestored(t *testing.T) {
	backup := t.TempDir()
	state := filepath.Join(t.TempDir(), "state")
	try := func(want string) {
		t.Helper()
		if err := Restore(t.Context(), state, backup); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, not %q", err, want)
		}
		if _, err := os.Stat(state); err == nil {
			t.Error("something was restored")
		}
	}
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(backup, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	try("is no backup")
	write("stellwerk.db", "x")
	try("was cut short")
	if err := seal(backup, "1.0"); err != nil {
		t.Fatal(err)
	}
	write("more", "y")
	try("not what it was")
	write(sealFile, `{"format": 2, "version": "9.0", "at": "2026-03-01T00:00:00Z", "files": 1, "bytes": 1}`)
	try("format 2")
	write(sealFile, `{torn`)
	try("does not say")
}

// TestNothingIsLeftOutForItsName: a document may be called like a lock, and a branch
// like a file that git is about to rename.
func TestNothingIsLeftOutForItsName(t *testing.T) {
	state := t.TempDir()
	stays := []string{
		"runs/r1/artifacts/build/r1/yarn.lock", "runs/r1/artifacts/build/r1/tmp_notes.md", "blobs/ab/cdef",
		"yards/p.git/refs/heads/feature/tmp_x", "yards/p.git/HEAD", "yards/p.git/objects/pack/pack-1.pack",
	}
	passes := []string{
		"blobs/.new-1", "yards/p.git/refs/heads/main.lock", "yards/p.git/packed-refs.lock", "yards/p.git/objects/pack/tmp_pack_1", "yards/p.git/objects/ab/tmp_obj_1",
	}
	for _, name := range append(passes, stays...) {
		path := filepath.Join(state, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	backup, restored := t.TempDir(), t.TempDir()
	if err := errors.Join(
		copyKept(t.Context(), state, backup, "runs", "blobs"), copyYards(t.Context(), filepath.Join(state, "yards"), filepath.Join(backup, "yards")),
		copyKept(t.Context(), backup, restored, "runs", "blobs", "yards"),
	); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{backup, restored} {
		for _, name := range stays {
			if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != name {
				t.Errorf("%s: %q, %v", name, data, err)
			}
		}
		for _, name := range passes {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				t.Errorf("%s was copied", name)
			}
		}
	}
}
