package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestOnlyARunThatBeginsKeepsWhatItsTrialCached: what lies in the folder of a
// run that never was would stay there for good.
func TestOnlyARunThatBeginsKeepsWhatItsTrialCached(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.add(".stellwerk/playbooks/tried.yaml", strings.NewReplacer("name: gated", "name: tried", "{files: README.md}", `[{command: test -f README.md}]`).Replace(gated))
	request := api.StartRun{Dir: s.dir, Goal: "one", Playbook: "tried", Trust: true}
	s.close()
	cut := &severed{at: func(c store.Commit) bool { return c.Events[0].Type == core.TypeRunStarted }, hit: make(chan struct{})}
	s.open(func(p *app.Parts) { cut.Store, p.Store = p.Store, cut })
	if _, err := s.app.Service.StartRun(s.ctx, request); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	if left := s.working(); len(left) > 0 {
		t.Errorf("a run that did not begin left %v behind", left)
	}
	s.close()
	s.open(nil)
	run, err := s.app.Service.StartRun(s.ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	if left := s.working(); len(left) != 1 || left[0] != run.ID {
		t.Errorf("there are working folders of %v, want one of %s", left, run.ID)
	}
	if _, err := os.Stat(filepath.Join(s.state, "work", run.ID, "build-cache")); err != nil {
		t.Error(err)
	}
}

// TestAPlaybookThatDoesNotFitIsRefusedBeforeTheTrial: its agent is not on this
// machine, which only a look before the run would find out.
func TestAPlaybookThatDoesNotFitIsRefusedBeforeTheTrial(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.add(".stellwerk/playbooks/study.yaml", `
name: study
kind: waves
agents: {s: {use: command, run: [stellwerk-test-no-such-program]}}
defaults: {agent: s}
roles: {thinker: {prompt: Plan.}, scout: {prompt: Look., capabilities: [read]}}
planner: {role: thinker}
waves: {writes: artifacts}
`)
	s.run("one") // which makes the project known
	s.cancel(*s.project().Run)
	_, err := s.app.Service.Speak(s.ctx, api.Speak{Dir: s.dir, Text: "hello", Start: &api.StartRun{Playbook: "study", Trust: true}})
	if core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), "works in waves") {
		t.Error(err)
	}
}

// add commits a file to the repository.
func (s *shop) add(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	git(s.t, s.dir, "add", "-A")
	git(s.t, s.dir, "commit", "-q", "-m", "add "+name)
}

// working are the names of the working folders.
func (s *shop) working() []string {
	s.t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.state, "work"))
	if err != nil {
		s.t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
