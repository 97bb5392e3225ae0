package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
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
