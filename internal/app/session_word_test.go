package app_test

import (
	"context"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestASessionCannotGiveItsRunAway: elsewhere it would be heard as a person.
func TestASessionCannotGiveItsRunAway(t *testing.T) {
	d := newDesk(t, sessionPlaybook)
	run := d.start()
	inside := api.WithCaller(t.Context(), api.Caller{Actor: core.Person("me"), Inside: []string{d.session}})
	for _, to := range []string{"", "another-session"} {
		if _, err := d.app.Resume(d.orchestrator(), run.ID, api.Resume{Session: &to}); core.CodeOf(err) != core.CodeForbidden {
			t.Errorf("to %q, by the session: %v", to, err)
		}
		if _, err := d.app.Resume(inside, run.ID, api.Resume{Session: &to}); core.CodeOf(err) != core.CodeForbidden {
			t.Errorf("to %q, from inside: %v", to, err)
		}
	}
}

func TestASessionApprovesNothingAhead(t *testing.T) {
	d := newDesk(t, sessionPlaybook)
	trusted, err := d.app.Trust(d.person(), api.Trust{Dir: d.dir, Playbook: "tiny"})
	if err == nil {
		_, err = d.app.Trust(d.person(), api.Trust{Dir: d.dir, Playbook: "tiny", Confirm: trusted.Hash})
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.app.StartRun(d.orchestrator(), api.StartRun{Dir: d.dir, Goal: "say hello", Playbook: "tiny", Session: d.session, Yes: true})
	if core.CodeOf(err) != core.CodeForbidden {
		t.Errorf("run --yes in a session: %v", err)
	}
}

func TestATakeThatIsInterruptedCountsAsNoAttempt(t *testing.T) {
	d := newDesk(t, sessionPlaybook)
	run := d.start()
	d.turn(api.TurnStart)
	lease, err := d.app.Lease(d.person(), d.session, api.Lease{Agent: "a1"})
	if err != nil {
		t.Fatal(err)
	}
	gone, leave := context.WithCancel(d.person())
	leave()
	if _, err := d.app.Take(gone, d.session, api.Take{Agent: "a1", Type: "stellwerk:worker", Dir: lease.Dir}); err == nil {
		t.Fatal("a take that nobody waits for succeeded")
	}
	if err := d.app.HandIn(d.person(), d.session, api.HandIn{Agent: "a1", Message: "no work"}); err != nil {
		t.Fatal(err)
	}
	d.turn(api.TurnStart)
	detail, err := d.app.Run(d.person(), run.ID)
	if err != nil {
		t.Fatal(err)
	}
	if task := detail.Stages[0].Tasks[0]; task.Counted != 0 {
		t.Errorf("%d attempts are counted: %+v", task.Counted, task.Attempts)
	}
}
