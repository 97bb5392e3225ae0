package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// waiting is a shim that notes its order and itself in the attempt's folder. Without an order it ends at once.
const waiting = `read -r order || exit 0
folder=$(printf %s "$order" | sed 's/.*"folder":"\([^"]*\)".*/\1/'); cd "$folder"
printf %s "$order" > order; tr '\0' '\n' < /proc/$$/environ > environ; echo $$ > pid; echo '{}' > exit.json`

func withSpare() *Spawner {
	return New(Options{
		Worker: []string{"/bin/sh", "-c", `echo fresh > "$1/pid"; echo '{}' > "$1/exit.json"`, "sh"},
		Ahead:  []string{"/bin/sh", "-c", waiting}, Folder: byName,
	})
}

// waits waits until a spare is there, and returns it.
func waits(t *testing.T, s *Spawner) *spare {
	t.Helper()
	var found *spare
	if !waittest.Until(func() bool {
		s.spares.mu.Lock()
		defer s.spares.mu.Unlock()
		found = s.spares.waiting
		return found != nil
	}) {
		t.Fatal("there is no spare")
	}
	return found
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
	s := withSpare()
	if got := get(t, carriedOut(t, s), "pid"); got != "fresh\n" {
		t.Fatalf("the first attempt is carried out by %s", got)
	}
	spare := waits(t, s)
	folder := carriedOut(t, s, "TOKEN=s3cret")
	if got := get(t, folder, "pid"); got != strconv.Itoa(spare.cmd.Process.Pid)+"\n" {
		t.Errorf("it is carried out by %s, the spare is %d", got, spare.cmd.Process.Pid)
	}
	if order := get(t, folder, "order"); !strings.Contains(order, "TOKEN=s3cret") {
		t.Errorf("its order is %s", order)
	}
	if environ := get(t, folder, "environ"); strings.Contains(environ, "s3cret") || !strings.Contains(environ, "PATH=") {
		t.Errorf("its environment is %s", environ)
	}
	if next := waits(t, s); next == spare {
		t.Error("the spare waits for a second attempt")
	}
	drained(t, s)
	if _, err := os.Stat(filepath.Join("/proc", strconv.Itoa(spare.cmd.Process.Pid))); err == nil {
		t.Error("the spare lives on")
	}
}

// TestSpareThatDied does not keep an attempt from starting.
func TestSpareThatDied(t *testing.T) {
	s := withSpare()
	s.Prepare()
	spare := waits(t, s)
	if err := syscall.Kill(spare.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-spare.ended
	if got := get(t, carriedOut(t, s), "pid"); got != "fresh\n" {
		t.Errorf("it is carried out by %s", got)
	}
	drained(t, s)
}

// TestSpareThatDiesWhenItIsTaken gets no order: whoever gives it is told, and starts another shim.
func TestSpareThatDiesWhenItIsTaken(t *testing.T) {
	s := withSpare()
	s.Prepare()
	waits(t, s)
	spare, folder := s.spares.take(), t.TempDir()
	if err := syscall.Kill(spare.cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-spare.ended
	if err := spare.order(folder, nil, waittest.Limit); !errors.Is(err, syscall.EPIPE) {
		t.Errorf("an order to a dead shim: %v", err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("it left %v, %v", left, err)
	}
	drained(t, s)
}

// TestSpareThatDoesNotRead keeps no attempt waiting, however long the order.
func TestSpareThatDoesNotRead(t *testing.T) {
	s := withSpare()
	s.spares.command, s.spares.reading = []string{"/bin/sleep", "100000"}, time.Millisecond
	s.Prepare()
	spare := waits(t, s)
	if got := get(t, carriedOut(t, s, "TOKEN="+strings.Repeat("x", 100_000)), "pid"); got != "fresh\n" {
		t.Errorf("it is carried out by %s", got)
	}
	for _, stuck := range []*os.Process{spare.cmd.Process, waits(t, s).cmd.Process} {
		if err := stuck.Kill(); err != nil {
			t.Error(err)
		}
	}
	<-spare.ended
	drained(t, s)
}

// TestDrainGivesUp on a spare that does not end, too.
func TestDrainGivesUp(t *testing.T) {
	s := withSpare()
	s.spares.command = []string{"/bin/sleep", "100000"}
	s.Prepare()
	spare := waits(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Drain(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("it waited: %v", err)
	}
	if err := spare.cmd.Process.Kill(); err != nil {
		t.Error(err)
	}
	<-spare.ended
}

// TestSpareIsNotGivenAFolderThatIsGone: the starter learns why, and the spare waits on.
func TestSpareIsNotGivenAFolderThatIsGone(t *testing.T) {
	s := withSpare()
	s.Prepare()
	spare := waits(t, s)
	gone := filepath.Join(t.TempDir(), "gone")
	if err := s.Start(t.Context(), spawn.Order{ID: in(gone)}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is started: %v", err)
	}
	if waits(t, s) != spare {
		t.Error("the spare is used up")
	}
	drained(t, s)
}

// TestSpareEnds when nobody has needed it for a while, and with its spawner, which starts no other.
func TestSpareEnds(t *testing.T) {
	s := withSpare()
	s.spares.wait = time.Millisecond
	s.Prepare()
	if !waittest.Until(func() bool {
		s.spares.mu.Lock()
		defer s.spares.mu.Unlock()
		return s.spares.waiting == nil && s.spares.making == nil
	}) {
		t.Fatal("the spare stays")
	}
	s.spares.wait = time.Hour
	s.Prepare()
	spare := waits(t, s)
	s.Close()
	<-spare.ended
	s.Prepare()
	if spare := s.spares.take(); spare != nil {
		t.Error("there is another spare")
	}
	drained(t, s)
}
