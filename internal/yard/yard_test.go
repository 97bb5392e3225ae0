package yard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenCreatesAndReopens(t *testing.T) {
	dir := filepath.Join(folder(t), "deep", "yard.git")
	for range 2 {
		y, err := Open(ctx(t), dir)
		must(t, err)
		must(t, y.Close())
	}
	equal(t, "bare", sh(t, dir, "git rev-parse --is-bare-repository"), "true")
	equal(t, "gc", sh(t, dir, "git config gc.auto"), "0")
	sh(t, dir, "git fsck --strict")
	if hooks, err := os.ReadDir(filepath.Join(dir, "hooks")); err == nil {
		t.Fatalf("a template was copied: %v", hooks)
	}
}

func TestOpenRefusesWhatIsNotAYard(t *testing.T) {
	full := folder(t)
	must(t, os.WriteFile(filepath.Join(full, "thesis.txt"), []byte("x"), 0o644))
	bare := folder(t)
	sh(t, bare, "git init -q --bare")
	for _, dir := range []string{full, bare, "relative/yard.git"} {
		if y, err := Open(ctx(t), dir); err == nil {
			t.Errorf("%s was opened as %v", dir, y)
		}
	}
}

func TestOpenSweepsAfterACrashOnly(t *testing.T) {
	f := newFixture(t)
	lock := filepath.Join(f.yard.Dir(), "refs", "heads", "topic.lock")
	half := filepath.Join(f.yard.Dir(), "objects", "pack", "tmp_pack_x")
	for _, name := range []string{lock, half} {
		must(t, os.WriteFile(name, nil, 0o600))
	}
	second, err := Open(ctx(t), f.yard.Dir())
	must(t, err)
	if _, err := os.Stat(lock); err != nil {
		t.Fatalf("a lock was removed while another process may hold it: %v", err)
	}
	must(t, second.Close())
	must(t, f.yard.Close())
	third, err := Open(ctx(t), f.yard.Dir())
	must(t, err)
	f.yard.occupancy = third.occupancy
	for _, name := range []string{lock, half} {
		if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s survived: %v", name, err)
		}
	}
	must(t, third.Move(ctx(t), "refs/heads/topic", "", f.base))
	must(t, third.reader.close()) // its lock is closed with the first yard
}

// TestOrphanedGitKeepsTheYardOccupied is the engine's death with a git process still writing.
func TestOrphanedGitKeepsTheYardOccupied(t *testing.T) {
	dir := filepath.Join(folder(t), "yard.git")
	dying, err := Open(ctx(t), dir)
	must(t, err)
	reader, writer, err := os.Pipe()
	must(t, err)
	started := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- dying.git().stream(ctx(t), reader, writerFunc(func(p []byte) (int, error) { close(started); return len(p), nil }), "cat-file", "--batch-check")
	}()
	_, err = writer.WriteString("HEAD\n")
	must(t, err)
	<-started
	must(t, dying.Close())
	lock := filepath.Join(dir, "packed-refs.lock")
	must(t, os.WriteFile(lock, nil, 0o600))
	for _, orphan := range []bool{true, false} {
		if !orphan {
			must(t, errors.Join(writer.Close(), <-done, reader.Close()))
		}
		next, err := Open(ctx(t), dir)
		must(t, err)
		must(t, next.Close())
		_, err = os.Stat(lock)
		equal(t, "lock still there", err == nil, orphan)
	}
}

func TestCancelEndsGit(t *testing.T) {
	y := openYard(t)
	c, cancel := context.WithCancel(ctx(t))
	defer cancel()
	reader, writer, err := os.Pipe() // a file, so that git itself waits on it
	must(t, err)
	defer func() { must(t, errors.Join(reader.Close(), writer.Close())) }()
	started := make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- y.git().stream(c, reader, writerFunc(func(p []byte) (int, error) { close(started); return len(p), nil }), "cat-file", "--batch-check")
	}()
	_, err = writer.WriteString("HEAD\n")
	must(t, err)
	<-started
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestErrorsAreBoundedAndWithoutCredentials(t *testing.T) {
	y := openYard(t)
	_, err := y.git().feed(ctx(t), []byte(strings.Repeat("nonsense\n", 5000)), "update-index", "--index-info")
	if err == nil || len(err.Error()) > maxStderr+200 {
		t.Fatalf("unbounded or no error: %d bytes", len(err.Error()))
	}
	err = y.Fetch(ctx(t), "https://user:s3cret@127.0.0.1:1/x.git")
	if !errors.Is(err, ErrUnreachable) || strings.Contains(err.Error(), "s3cret") {
		t.Fatalf("got %v", err)
	}
}
