package dispatch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim/shimtest"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/local"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// verdicts is a memory of verdicts.
type verdicts map[string][]byte

func (v verdicts) Recall(_ context.Context, key string) ([]byte, error) {
	if verdict, ok := v[key]; ok {
		return verdict, nil
	}
	return nil, store.ErrNotFound
}

func (v verdicts) Remember(_ context.Context, key string, verdict []byte) error {
	v[key] = verdict
	return nil
}

// withWorkers lets the dispatcher run commands, as processes of this machine.
func (s *surf) withWorkers(t *testing.T) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	workers := local.New(local.Options{Worker: []string{self, shimtest.RoleWorker}, Folder: s.Layout.Folder})
	t.Cleanup(func() {
		if err := workers.Drain(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	s.Commands, s.Environ, s.Memory, s.run.Isolation = workers, os.LookupEnv, verdicts{}, "none"
}

// TestWhatIsPublishedIsVerifiedAnew: rounds of a run share verdicts, what a setup
// made and what builds left; the verification before publishing has none of it.
func TestWhatIsPublishedIsVerifiedAnew(t *testing.T) {
	s := newSurf(t)
	s.withWorkers(t)
	notes := t.TempDir()
	note := func(name string) string { return filepath.Join(notes, name) }
	s.run.Playbook.Setup = "mkdir -p deps && touch deps/made && echo set >>" + note("setups")
	s.run.Playbook.Caches = []core.Cache{{Path: "deps", Key: []string{"kept.txt"}}}
	verify := func(event, command string, remember bool) {
		t.Helper()
		passed, results, err := s.evaluate(t.Context(), s.run, evaluation{
			event: event, name: theAttempt, check: core.Check{Kind: core.CheckCommand, Run: command}, base: s.run.BaseCommit, head: s.commit,
			writes: core.WritesCode, delivery: &core.Delivery{Commit: s.commit, Tree: sh(t, s.Layout.State, "git -C person rev-parse 'HEAD^{tree}'")}, remember: remember,
		})
		if err != nil || !passed {
			t.Fatalf("%s: %v, %+v", event, err, results)
		}
	}
	lines := func(name string) []string { return strings.Fields(content(t, note(name))) }
	command := "test -e deps/made && echo ran >>" + note("runs") + ` && echo "$XDG_CACHE_HOME" >>` + note("caches")
	verify("e1", command, true)
	verify("e2", command, true)
	if len(lines("runs")) != 1 {
		t.Errorf("what is known was run %d times", len(lines("runs")))
	}
	verify("e3", "true; "+command, true)
	if len(lines("setups")) != 1 || len(lines("runs")) != 2 {
		t.Errorf("%d setups for %d runs", len(lines("setups")), len(lines("runs")))
	}
	verify("e4", command, false)
	if len(lines("runs")) != 3 || len(lines("setups")) != 2 {
		t.Errorf("before publishing: %d runs, %d setups", len(lines("runs")), len(lines("setups")))
	}
	if c := lines("caches"); c[0] != c[1] || c[2] == c[0] {
		t.Errorf("builds were kept in %q", c)
	}
}

// TestAVerificationThatIsCalledOff says nothing about the work, and what it ran
// ends.
func TestAVerificationThatIsCalledOff(t *testing.T) {
	e := newEnded(t, shimExit(), nil)
	e.withWorkers(t)
	ready := filepath.Join(t.TempDir(), "ready")
	stage, task, attempt := e.run.Attempt(theAttempt)
	task.Done = core.Check{Kind: core.CheckCommand, Run: "echo >" + ready + "; exec sleep 1000"}
	attempt.Delivery, stage.Base = &core.Delivery{Commit: e.commit}, e.run.BaseCommit
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- e.verify(ctx, e.run, core.Verify{Event: "e1", Task: task.ID, Attempt: theAttempt})
	}()
	shimtest.Await(t, "the check to begin", func() bool { return shimtest.Exists(t, ready) })
	cancel(errUnwanted)
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
	if said := e.engine.taken(); len(said) > 0 {
		t.Errorf("reported was %+v", said)
	}
}

// TestASetupOfAnEarlierVersionIsFoundAgain: that named it like a check. It may be
// at work in the checkout, where another must not begin.
func TestASetupOfAnEarlierVersionIsFoundAgain(t *testing.T) {
	s := newSurf(t)
	s.withWorkers(t)
	setups := filepath.Join(t.TempDir(), "setups")
	s.run.Playbook.Setup = "echo set >>" + setups
	y, err := s.Yards.Yard(t.Context(), s.run.Project)
	if err != nil {
		t.Fatal(err)
	}
	before := &checkout{dispatcher: s.Dispatcher, yard: y, run: s.run, commit: s.commit, event: "e1", name: theAttempt}
	before.dir = s.Layout.Checkout(s.run.ID, "e1", theAttempt)
	if err := y.Checkout(t.Context(), before.dir, s.commit); err != nil {
		t.Fatal(err)
	}
	setup := check.Command{Shell: s.run.Playbook.Setup, Timeout: setupTimeout, OutputCap: 1 << 20}
	id := core.CheckID(theAttempt, before.digest(setup, true), 1)
	folder := s.Layout.Attempt(s.run.ID, id)
	if err := before.order(folder, id, before.dir, setup, true); err != nil {
		t.Fatal(err)
	}
	if err := s.Commands.Start(t.Context(), spawn.Order{ID: spawn.ID{Run: s.run.ID, Attempt: id}}); err != nil {
		t.Fatal(err)
	}
	after := &checkout{dispatcher: s.Dispatcher, yard: y, run: s.run, commit: s.commit, event: "e1", name: theAttempt}
	if err := after.prepare(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := content(t, setups); got != "set\n" {
		t.Errorf("set up was %q", got)
	}
}
