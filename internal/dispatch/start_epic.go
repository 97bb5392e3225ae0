package dispatch

import (
	"context"
	"errors"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Projects records what happened to an epic.
type Projects interface {
	// StartFailed records that an epic's run could not be started, and reports
	// whether the epic was refused for that.
	StartFailed(ctx context.Context, project string, fence int64, f core.StartFailure) (p *core.Project, refused bool, err error)
	// Tend asks for a project to be looked at again.
	Tend(ctx context.Context, project string) error
}

// Epics begins the runs of epics.
type Epics interface {
	// BeginEpic looks at the repository, the playbook, trust and the machine as
	// they are now, and fails if the run cannot begin. The epic has the run's id:
	// called twice, one run begins.
	BeginEpic(ctx context.Context, p *core.Project, epic core.QueuedEpic) error
	// TellRefused tells a person of an epic that cannot be started.
	TellRefused(ctx context.Context, p *core.Project, epic core.QueuedEpic) error
}

// epicStart is the start of an epic's run, while it is prepared: one in each
// project.
type epicStart struct {
	run    string
	cancel context.CancelFunc
}

// StartEpic implements engine.Dispatcher.
func (d *Dispatcher) StartEpic(p *core.Project, fence int64, epic *core.QueuedEpic) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if under := d.starts[p.ID]; under != nil {
		if epic == nil || epic.Run != under.run {
			under.cancel() // the project is looked at again when it has ended
		}
		return
	}
	if epic == nil || d.closed {
		return
	}
	ctx, cancel := context.WithCancel(owning(d.ctx, fence))
	d.starts[p.ID] = &epicStart{run: epic.Run, cancel: cancel}
	d.work.Go(func() {
		defer cancel()
		d.startEpic(ctx, p, *epic)
	})
}

// startEpic begins an epic's run, or reports why it cannot begin. Whether it has
// begun is seen by the look that follows, as after a crash.
func (d *Dispatcher) startEpic(ctx context.Context, p *core.Project, epic core.QueuedEpic) {
	err := d.mine(ctx, p.ID)
	if err == nil {
		err = d.Epics.BeginEpic(ctx, p, epic)
	}
	if err != nil && ctx.Err() == nil && !errors.Is(err, core.ErrBusy) && !errors.Is(err, errReleased) && !left(err) {
		d.Log.Warn("an epic cannot be started", "project", p.Name, "epic", epic.ID, "error", err)
		d.insist(time.Second, func() error { return d.startFailed(p.ID, fenceOf(ctx), epic, err) }, "project", p.ID)
	}
	d.mu.Lock()
	delete(d.starts, p.ID)
	d.mu.Unlock()
	d.insist(time.Second, func() error { return d.Projects.Tend(d.ctx, p.ID) }, "project", p.ID)
}

func (d *Dispatcher) startFailed(project string, fence int64, epic core.QueuedEpic, why error) error {
	hide := d.Redactors(nil)
	p, refused, err := d.Projects.StartFailed(d.ctx, project, fence, core.StartFailure{
		Epic: epic.ID, Reason: hide.String(why.Error()), Advice: core.AdviceOf(why), Passing: passing(why),
	})
	if errors.Is(err, store.ErrFenced) {
		return nil // the owner finds out for itself
	}
	if err != nil || !refused {
		return err
	}
	if err := d.Epics.TellRefused(d.ctx, p, *p.Epic(epic.ID)); err != nil {
		d.Log.Error("tell a person", "project", p.Name, "epic", epic.ID, "error", err)
	}
	return nil
}

// passing reports a failure that may be gone when the start is tried again: a
// server that was not reached, a store that was away, or a ref that a process of a
// killed engine still has locked.
func passing(err error) bool {
	var git *yard.CommandError
	failed := errors.As(err, &git) && !errors.Is(err, yard.ErrAuth)
	return failed || errors.Is(err, yard.ErrUnreachable) || errors.Is(err, core.ErrAway) || core.CodeOf(err) == core.CodeInternal
}
