package dispatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
)

// Sessions are the interactive sessions that start agents themselves.
type Sessions interface {
	// AgentType is the type under which a session's program knows a role, and
	// whether that agent has been told the role's text.
	AgentType(role core.Role) (name string, told bool)
	// Changed tells that what a run offers, or who works on it, is not what it was.
	Changed(ctx context.Context, run string)
}

// side sees to it that an attempt of which nothing has shown begins on one side only, where agents of sessions work elsewhere
// than others: the wish may have been another when an earlier try was made. It returns where the attempt stands now.
func (d *Dispatcher) side(ctx context.Context, id spawn.ID, folder, owner string) (spawn.Status, error) {
	offered := session.Offered(folder)
	if d.Exchange.Shared() || offered == (owner != "") {
		return spawn.Absent, nil
	}
	taken, err := session.TakenBy(folder)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if !offered || taken.Session != "" { // an order may be on its way on that side
		if err := d.Spawner.Kill(ctx, id); err != nil {
			return "", err
		}
		if status, err := d.Spawner.Probe(ctx, id); err != nil || status != spawn.Absent || !offered {
			return status, err
		}
	}
	if err := d.Exchange.Forget(ctx, id); err != nil {
		return "", err
	}
	return spawn.Absent, session.Retract(folder)
}

// offer offers an attempt to the session that starts the run's agents, and
// waits until an agent of it has taken the attempt. Nothing but the wish for
// the attempt ends the waiting: a person may be away for days.
func (d *Dispatcher) offer(ctx context.Context, run *core.Run, a core.StartAttempt, folder string) (session.Taken, error) {
	_, task, attempt := run.Attempt(a.Attempt)
	if _, err := agentFor(run, task); err != nil {
		return session.Taken{}, err
	}
	kind, _ := d.Sessions.AgentType(run.Playbook.Roles[task.Role])
	err := session.Make(folder, session.Offer{
		Attempt: attempt.ID, Role: task.Role, Type: kind, Model: run.Playbook.Model(task.Role), N: attempt.N,
		Base: attempt.Base, At: time.Now().UTC(),
	}, a.Session)
	if err != nil {
		return session.Taken{}, err
	}
	d.Sessions.Changed(ctx, run.ID)
	taken, err := session.AwaitTaken(ctx, folder)
	if err != nil {
		return session.Taken{}, errors.Join(err, session.Withdraw(folder))
	}
	if taken.Session != a.Session {
		return session.Taken{}, fmt.Errorf("attempt %s was taken by session %q, which does not own the run", a.Attempt, taken.Session)
	}
	return taken, nil
}
