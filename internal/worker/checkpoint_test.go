package worker_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/exchangetest"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/worker"
)

func TestMain(m *testing.M) {
	worker.Intercept()
	os.Exit(m.Run())
}

// TestWorkWithoutASaver is handed in all the same: the program that would save checkpoints is gone, so none is saved.
func TestWorkWithoutASaver(t *testing.T) {
	station := exchangetest.NewStation(t)
	station.Prepare(station.Current(), sandbox.None, `echo done > "$STELLWERK_OUT/a.md"; until [ -e "$SHARED/go" ]; do sleep 0.02; done`)
	said := &lines{}
	argv := worker.Command(copied(t))
	cmd := exec.Command(argv[0], append(argv[1:], "--exchange", station.URL(), "--token-file", "-", "--dir", station.Workers(), "--checkpoint", "1ms")...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Env = strings.NewReader(exchangetest.Token(exchangetest.First)), said, said, append(os.Environ(), "TOKEN=x", shimtest.QuickExit)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // of a test that failed
	if err := os.Remove(argv[0]); err != nil {
		t.Fatal(err)
	}
	shimtest.Await(t, "word that nothing is saved", func() bool { return strings.Contains(said.String(), "without checkpoints") })
	shimtest.Write(t, filepath.Join(station.Shared, "go"), "")
	if err := cmd.Wait(); err != nil {
		t.Errorf("the worker: %v\n%s", err, said)
	}
	exit, err := station.Exit(t)
	if err != nil || exit.Reason != shim.ReasonExited || len(exit.Outputs) != 1 {
		t.Errorf("it ended as %+v, %v", exit, err)
	}
}

// copied is a copy of this program that may be removed.
func copied(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }() // only read from
	path := filepath.Join(t.TempDir(), "program")
	to, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// lines are what a process has said so far.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}
