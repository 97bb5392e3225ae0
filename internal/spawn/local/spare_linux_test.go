package local

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/spare"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// waiting is a shim that says in a folder, $1, that it waits, and then notes its order and itself in the attempt's folder.
// Without an order it ends at once.
const waiting = `echo $$ > "$1/$$.part"; mv "$1/$$.part" "$1/spare"; read -r order || exit 0; printf x >&3
folder=$(printf %s "$order" | sed 's/.*"folder":"\([^"]*\)".*/\1/'); cd "$folder"
printf %s "$order" > order; tr '\0' '\n' < /proc/$$/environ > environ; echo $$ > pid; echo '{}' > exit.json`

// withSpare is a spawner with a pool, whose spare says in a folder that it waits.
func withSpare(t *testing.T) (s *Spawner, pool *spare.Pool, waits func() int) {
	t.Helper()
	dir := t.TempDir()
	pool = spare.New([]string{"/bin/sh", "-c", waiting, "sh", dir})
	s = New(Options{Worker: []string{"/bin/sh", "-c", `echo fresh > "$1/pid"; echo '{}' > "$1/exit.json"`, "sh"}, Spares: pool, Folder: byName})
	return s, pool, func() int {
		t.Helper()
		var pid int
		if !waittest.Until(func() bool {
			data, err := os.ReadFile(filepath.Join(dir, "spare"))
			if err != nil {
				return false
			}
			pid, err = strconv.Atoi(strings.TrimSpace(string(data)))
			return err == nil
		}) {
			t.Fatal("there is no spare")
		}
		if err := os.Remove(filepath.Join(dir, "spare")); err != nil {
			t.Fatal(err)
		}
		return pid
	}
}

func carriedOut(t *testing.T, s *Spawner, env ...string) string {
	t.Helper()
	folder := t.TempDir()
	if err := s.Start(t.Context(), spawn.Order{ID: in(folder), Env: env}); err != nil {
		t.Fatal(err)
	}
	if status, err := s.Wait(t.Context(), in(folder)); err != nil || status != spawn.Exited {
		t.Fatalf("status %s, %v", status, err)
	}
	return folder
}

// TestSpare is used for the second attempt, and knows what that needs only from its order. There is another one then.
func TestSpare(t *testing.T) {
	s, _, waits := withSpare(t)
	if got := get(t, carriedOut(t, s), "pid"); got != "fresh\n" {
		t.Fatalf("the first attempt is carried out by %s", got)
	}
	pid := waits()
	folder := carriedOut(t, s, "TOKEN=s3cret")
	if got := get(t, folder, "pid"); got != strconv.Itoa(pid)+"\n" {
		t.Errorf("it is carried out by %s, the spare is %d", got, pid)
	}
	if order := get(t, folder, "order"); !strings.Contains(order, "TOKEN=s3cret") {
		t.Errorf("its order is %s", order)
	}
	if environ := get(t, folder, "environ"); strings.Contains(environ, "s3cret") || !strings.Contains(environ, "PATH=") {
		t.Errorf("its environment is %s", environ)
	}
	if next := waits(); next == pid {
		t.Error("the spare waits for a second attempt")
	}
	drained(t, s)
	if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid))); err == nil {
		t.Error("the spare lives on")
	}
}

// TestSpareThatDied does not keep an attempt from starting.
func TestSpareThatDied(t *testing.T) {
	s, pool, waits := withSpare(t)
	pool.Refill()
	pid := waits()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if !waittest.Until(func() bool { return syscall.Kill(pid, 0) != nil }) {
		t.Fatal("it is not reaped")
	}
	if got := get(t, carriedOut(t, s), "pid"); got != "fresh\n" {
		t.Errorf("it is carried out by %s", got)
	}
	drained(t, s)
}

// TestSpareThatIsStopped, as an agent without isolation can do, does not keep an attempt from starting, and is gone then.
func TestSpareThatIsStopped(t *testing.T) {
	t.Parallel() // it waits for an answer
	s, pool, waits := withSpare(t)
	pool.Refill()
	pid := waits()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if got := get(t, carriedOut(t, s), "pid"); got != "fresh\n" {
		t.Errorf("it is carried out by %s", got)
	}
	if !waittest.Until(func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }) {
		t.Error("the stopped one is still there")
	}
	drained(t, s)
}

// TestSpareIsNotGivenAFolderThatIsGone: the starter learns why, and the spare waits on.
func TestSpareIsNotGivenAFolderThatIsGone(t *testing.T) {
	s, pool, waits := withSpare(t)
	pool.Refill()
	pid := waits()
	gone := filepath.Join(t.TempDir(), "gone")
	if err := s.Start(t.Context(), spawn.Order{ID: in(gone)}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is started: %v", err)
	}
	if got := get(t, carriedOut(t, s), "pid"); got != strconv.Itoa(pid)+"\n" {
		t.Errorf("the next is carried out by %s, the spare was %d", got, pid)
	}
	drained(t, s)
}

// TestDrainEndsASpare that does not end by itself, too.
func TestDrainEndsASpare(t *testing.T) {
	pool := spare.New([]string{"/bin/sleep", "100000"})
	pool.Refill()
	drained(t, New(Options{Spares: pool, Folder: byName}))
}
