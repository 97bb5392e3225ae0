package dispatch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// stubborn has a command in each folder, and trouble with some.
type stubborn struct {
	spawn.Spawner
	mu          sync.Mutex
	status      map[string]spawn.Status
	probe, kill map[string]error
	probed      int
}

func (s *stubborn) Probe(_ context.Context, id spawn.ID) (spawn.Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probed++
	return s.status[id.Attempt], s.probe[id.Attempt]
}

func (s *stubborn) Kill(_ context.Context, id spawn.ID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.kill[id.Attempt]; err != nil {
		return err
	}
	s.status[id.Attempt] = spawn.Exited
	return nil
}

func (s *stubborn) Wait(ctx context.Context, id spawn.ID) (spawn.Status, error) {
	return s.Probe(ctx, id)
}

// TestTroubleWithOneCommandKeepsNoOtherOfATrial: what has ended is removed, and
// the rest when it has ended, too.
func TestTroubleWithOneCommandKeepsNoOtherOfATrial(t *testing.T) {
	unread, undying := errors.New("cannot be read"), errors.New("cannot be killed")
	workers := &stubborn{
		status: map[string]spawn.Status{"a": spawn.Running, "b": spawn.Running, "c": spawn.Running, "d": spawn.Exited},
		probe:  map[string]error{"a": unread}, kill: map[string]error{"b": undying},
	}
	d := &Dispatcher{Options: Options{Layout: Layout{State: t.TempDir()}, Exchange: here(t.TempDir()), Commands: workers}}
	name := trialPrefix + "1"
	work := filepath.Join(d.Layout.Work(name), "verify-base")
	for _, folder := range []string{d.Layout.Attempt(name, "a"), d.Layout.Attempt(name, "b"), d.Layout.Attempt(name, "c"), d.Layout.Attempt(name, "d"), work} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	left := func() string {
		t.Helper()
		folders, err := filepath.Glob(filepath.Join(d.Layout.State, "*", name, "*"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range folders {
			folders[i] = filepath.Base(folders[i])
		}
		slices.Sort(folders)
		return strings.Join(folders, " ")
	}
	if err := d.ForgetTrials(t.Context()); !errors.Is(err, unread) || !errors.Is(err, undying) {
		t.Errorf("said %v", err)
	}
	if workers.probed != 5 { // each once, and the one that was ended once more
		t.Errorf("looked %d times", workers.probed)
	}
	if got := left(); got != "a b verify-base" { // commands that may still run are at work there
		t.Errorf("left %q", got)
	}
	if workers.status["c"] != spawn.Exited {
		t.Error("a command still runs")
	}
	clear(workers.probe)
	clear(workers.kill)
	if err := d.ForgetTrials(t.Context()); err != nil {
		t.Error(err)
	}
	if got := left(); got != "" {
		t.Errorf("left %q in the end", got)
	}
}

// TestATrialKeepsOverWhatAKilledEngineKept: an epic that waited in a queue is
// started again under the id that it had when its engine was killed.
func TestATrialKeepsOverWhatAKilledEngineKept(t *testing.T) {
	d := &Dispatcher{Options: Options{Layout: Layout{State: t.TempDir()}}}
	trial := &Trial{dispatcher: d, room: &checkout{run: &core.Run{ID: trialPrefix + "run-1"}}, run: "run-1"}
	for _, content := range []string{"old", "new"} {
		write(t, filepath.Join(d.Layout.Caches(trialPrefix+"run-1"), content), content)
		write(t, filepath.Join(d.Layout.BuildCache(trialPrefix+"run-1"), content), content)
		if err := trial.Keep(); err != nil {
			t.Fatal(err)
		}
	}
	for _, folder := range []string{d.Layout.Caches("run-1"), d.Layout.BuildCache("run-1")} {
		if there := contents(t, folder); !slices.Equal(there, []string{"new"}) {
			t.Errorf("%s holds %q", folder, there)
		}
	}
}
