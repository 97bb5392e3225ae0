package app_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
	"github.com/stellwerk-dev/stellwerk/internal/tooltest"
)

// TestASessionCannotGiveItsRunAway: elsewhere it would be heard as a person.
func TestASessionCannotGiveItsRunAway(t *testing.T) {
	d := newDesk(t, sessionPlaybook)
	run := d.start()
	inside := api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me"), Inside: []string{d.session}})
	for _, to := range []string{"", "another-session"} {
		if _, err := d.app.Service.Resume(d.orchestrator(), run.ID, api.Resume{Session: &to}); core.CodeOf(err) != core.CodeForbidden {
			t.Errorf("to %q, by the session: %v", to, err)
		}
		if _, err := d.app.Service.Resume(inside, run.ID, api.Resume{Session: &to}); core.CodeOf(err) != core.CodeForbidden {
			t.Errorf("to %q, from inside: %v", to, err)
		}
	}
}

func TestASessionApprovesNothingAhead(t *testing.T) {
	d := newDesk(t, sessionPlaybook)
	d.trust()
	_, err := d.app.Service.StartRun(d.orchestrator(), api.StartRun{Dir: d.dir, Goal: "say hello", Playbook: "tiny", Session: d.session, Yes: true})
	if core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("run --yes in a session: %v", err)
	}
}

func TestATakeThatIsInterruptedCountsAsNoAttempt(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sessionPlaybook)
	run := d.start()
	d.turn(api.TurnStart)
	lease, err := d.app.Service.Lease(d.person(), d.session, api.Lease{Agent: "a1"})
	if err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(d.person())
	leave()
	if _, err := d.app.Service.Take(gone, d.session, api.Take{Agent: "a1", Type: "stellwerk:worker", Dir: lease.Dir}); err == nil {
		t.Fatal("a take that nobody waits for succeeded")
	}
	if err := d.app.Service.HandIn(d.person(), d.session, api.HandIn{Agent: "a1", Message: "no work"}); err != nil {
		t.Fatal(err)
	}
	d.turn(api.TurnStart)
	detail, err := d.app.Service.Run(d.person(), run.ID)
	if err != nil {
		t.Fatal(err)
	}
	if task := detail.Stages[0].Tasks[0]; task.Counted != 0 {
		t.Errorf("%d attempts are counted: %+v", task.Counted, task.Attempts)
	}
}

// TestWhatASessionRunsReachesNothing plays what a session could write into a
// script that no guard reads.
func TestWhatASessionRunsReachesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sessionPlaybook)
	remote := filepath.Join(t.TempDir(), "remote.git")
	git(t, d.dir, "init", "-q", "--bare", remote)
	git(t, d.dir, "remote", "add", "origin", remote)
	d.start()
	snap, err := snapshot.Read(d.state, d.session)
	if err != nil {
		t.Fatal(err)
	}
	if len(snap.Shell) == 0 {
		tooltest.Unisolated(t, "sessions have no shell of their own")
	}
	if at := slices.Index(snap.Shell, "--resources"); at < 0 || !strings.Contains(snap.Shell[at+1], `{"limits":{"memory":`) {
		t.Errorf("its commands are not bounded: %q", snap.Shell)
	}
	look := append(slices.Clone(snap.Shell), d.dir)
	if out, err := run(look, "git log --oneline | wc -l && pwd"); err != nil || !strings.HasSuffix(out, d.dir) {
		t.Fatalf("the checkout is not to be seen: %q, %v", out, err)
	}
	for _, line := range []string{
		"env -i PATH=/usr/bin:/bin git push origin main",
		"git push " + remote + " main",
		"cat " + filepath.Join(d.state, "person.token"),
		"ls " + filepath.Join(d.state, "engine.sock"),
		"echo x > README.md",
		"echo x > .git/hooks/post-checkout",
		"ls " + d.state,
		"cat ~/.gitconfig /root/.gitconfig",
	} {
		if out, err := run(look, line); err == nil {
			t.Errorf("%s: %q", line, out)
		}
	}
	if refs := git(t, remote, "for-each-ref"); refs != "" {
		t.Errorf("the remote has %s", refs)
	}
}

func TestASessionGivesNoLimitUp(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sessionPlaybook)
	run := d.start()
	if _, err := d.app.Service.Pause(d.orchestrator(), run.ID, api.Pause{}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.app.Service.Resume(d.orchestrator(), run.ID, api.Resume{MaxCostUSD: 9999}); core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("a limit raised by the session: %v", err)
	}
	if _, err := d.app.Service.Resume(d.orchestrator(), run.ID, api.Resume{}); err != nil {
		t.Errorf("going on after a pause by hand: %v", err)
	}
	other := newDesk(t, sessionPlaybook)
	other.trust()
	_, err := other.app.Service.StartRun(other.orchestrator(), api.StartRun{Dir: other.dir, Goal: "x", Playbook: "tiny", Session: other.session, Isolation: "none"})
	if core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("a run without isolation: %v", err)
	}
}

// TestAnAgentOnItsWayIsNotStartedTwice: a turn may end between the call that starts an agent and the agent's start.
func TestAnAgentOnItsWayIsNotStartedTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t, sessionPlaybook)
	d.start()
	d.turn(api.TurnStart)
	ended := make(chan api.TurnKind, 1)
	go func() {
		turn, err := d.app.Service.Turn(d.person(), d.session, api.TurnQuery{Wait: time.Minute, Idle: true, Alive: []string{"a1"}})
		if err != nil {
			t.Error(err)
		}
		ended <- turn.Kind
	}()
	d.take("a1", "stellwerk:worker")
	if got := <-ended; got != api.TurnWorking {
		t.Errorf("the session is told %q, although the agent has begun", got)
	}
}
