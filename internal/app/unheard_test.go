package app_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// unheardPlaybook has a manager whose first try is as one is left that gave a
// call up: its tools have noted that, and it ended as if all were well.
const unheardPlaybook = `
name: tiny
kind: manager
agents:
  cut: {use: command, run: [sh, -c, "case $STELLWERK_ATTEMPT in *.a1) sed -i 's/^{/{\"unheard\": true,/' $STELLWERK_PLAN ;; *) sleep 600 ;; esac"]}
roles: {boss: {agent: cut, prompt: You manage.}, dev: {agent: cut, prompt: You build.}}
manager: {role: boss}
steps: {role: dev, done: {command: "true"}}
`

// TestATurnThatWasCutOffIsRepeated: what it was woken for is not lost with it,
// and it is not counted against the agent.
func TestATurnThatWasCutOffIsRepeated(t *testing.T) {
	t.Parallel()
	d := newDesk(t, unheardPlaybook)
	run, err := d.app.Service.StartRun(d.person(), api.StartRun{Dir: d.dir, Goal: "greet", Playbook: "tiny", Trust: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(d.person(), waittest.Limit)
	defer cancel()
	repeated := errors.New("repeated")
	err = d.app.Service.Follow(ctx, run.ID, 0, func(e core.Event) error {
		body, err := core.Decode(e)
		if err != nil {
			return err
		}
		switch b := body.(type) {
		case core.AttemptExited:
			if !b.Infrastructure() {
				t.Errorf("it ended as %+v", b)
			}
		case core.StagePassed:
			t.Errorf("the turn passed")
		case core.AttemptRequested:
			if b.N == 2 {
				return repeated
			}
		default:
		}
		return nil
	})
	if !errors.Is(err, repeated) {
		t.Fatal(err)
	}
}
