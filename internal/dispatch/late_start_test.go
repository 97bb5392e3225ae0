package dispatch

import (
	"context"
	"errors"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// foundSpawner is a spawner whose attempt is as an earlier engine left it.
type foundSpawner struct {
	spawn.Spawner
	status spawn.Status
	killed *bool
}

func (f foundSpawner) Kill(context.Context, spawn.ID) error { *f.killed = true; return nil }

func (f foundSpawner) Probe(context.Context, spawn.ID) (spawn.Status, error) { return f.status, nil }

func (f foundSpawner) Wait(context.Context, spawn.ID) (spawn.Status, error) { return f.status, nil }

// TestAStartThatShowsAfterAllIsFollowed: an engine that fails to start an attempt may
// find that the one before it did. That attempt has an end of its own.
func TestAStartThatShowsAfterAllIsFollowed(t *testing.T) {
	for status, want := range map[spawn.Status]core.ExitKind{spawn.Absent: core.ExitNoStart, spawn.Exited: core.ExitFinished} {
		e := newEnded(t, shim.Exit{Outcome: agent.Outcome{OK: true}}, nil)
		killed := false
		e.Spawner = foundSpawner{status: status, killed: &killed}
		if err := e.notStarted(t.Context(), e.run, theAttempt, errors.New("no room")); err != nil {
			t.Fatal(err)
		}
		if body := e.engine.await(t).(core.AttemptExited); body.Kind != want || !killed {
			t.Errorf("%s: reported is %s, and it was killed: %t", status, body.Kind, killed)
		}
	}
}
