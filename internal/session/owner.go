package session

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// MoveTo makes a session the one that starts the run's agents, or the engine
// itself if it is none. What an agent of the old place is doing ends.
func (a *Sessions) MoveTo(ctx context.Context, id, session string) (*core.Run, error) {
	run, err := a.Find.Run(ctx, id)
	if err != nil || run.Session == session {
		return run, err
	}
	if err := a.free(ctx, session, run.ID); err != nil {
		return run, err
	}
	old := run.Session
	if run, err = a.Engine.Submit(ctx, run.ID, api.Speaker(ctx, run.Session), core.SessionTook{Session: session}); err != nil {
		return run, err
	}
	if old != "" {
		if err := a.release(old); err != nil {
			return run, err
		}
	}
	return run, a.Refresh(ctx, run.ID)
}

// free refuses a session that owns another run: it can be the transport of one
// only.
func (a *Sessions) free(ctx context.Context, session, but string) error {
	if session == "" {
		return nil
	}
	other, err := a.owned(ctx, session)
	if err != nil || other == nil || other.ID == but || other.Status.Terminal() {
		return err
	}
	return active(other)
}

// Alone refuses to begin a run in a session while another workflow of the
// project is under way in one: the person is asked what is to become of it.
func (a *Sessions) Alone(ctx context.Context, req api.StartRun, project string) error {
	if req.Session == "" {
		return nil
	}
	if _, err := snapshot.Dir(a.State, req.Session); err != nil {
		return core.Wrap(core.CodeInvalid, err, "the session cannot own a run", "name it as its program does")
	}
	if err := a.free(ctx, req.Session, ""); err != nil {
		return err
	}
	rows, err := a.Store.Runs(ctx, store.Filter{Open: true, Project: project})
	if err != nil {
		return err
	}
	for _, row := range rows {
		run, err := a.Engine.Load(ctx, row.ID)
		if err != nil {
			return err
		}
		if run.Session != "" {
			return active(run)
		}
	}
	return nil
}

func active(run *core.Run) error {
	return core.Errorf(core.CodeConflict, "run %s (%s) is under way in session %s", run.Alias, run.Title, run.Session).
		WithHint("ask the person whether to continue it here or to discard it").Offer(run.Choices(core.VerbTakeOver, core.VerbCancel)...)
}
