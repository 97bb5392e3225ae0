package service

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/erasure"
	"github.com/stellwerk-dev/stellwerk/internal/retention"
)

// eraseLook is how often an engine looks whether a project was erased of which its machine has something.
const eraseLook = time.Minute

// EraseProject implements api.Service. The store comes first; what fails afterwards is tried again by KeepErased.
func (a *Service) EraseProject(ctx context.Context, id string, req api.EraseProject) (api.ErasedProject, error) {
	row, err := a.find.ProjectRow(ctx, id)
	if err != nil {
		return api.ErasedProject{}, err
	}
	if req.Name != row.Name {
		return api.ErasedProject{}, core.Errorf(core.CodeInvalid, "the project is called %s, not %.80q, and nothing was erased", row.Name, req.Name).
			WithHint("repeat its name to say that you mean it")
	}
	if err := erasure.Announce(ctx, a.store, row.ID); err != nil {
		return api.ErasedProject{}, err
	}
	body, err := a.engine.Erase(ctx, row.ID, api.CallerFrom(ctx).Actor, a.redactor.String(req.Reason))
	if err != nil {
		return api.ErasedProject{}, err
	}
	a.log.Info("a project was erased", "project", row.ID, "events", body.Events, "streams", len(body.Streams))
	out := api.ErasedProject{Project: row.ID, Name: row.Name, Events: body.Events, Runs: len(body.Streams) - 1}
	// The person who asked may be gone by now, and what was begun is to end.
	ctx = context.WithoutCancel(ctx)
	if err := a.erasures.Sweep(ctx); err != nil {
		a.log.Error("not all that is left of a project could be removed; it is tried again", "error", err)
		out.Pending = err.Error()
	}
	report, err := a.retainUnnamed(ctx, time.Time{})
	if err != nil {
		a.log.Error("objects of a project could not be removed; it is tried again", "error", err)
		out.Pending = err.Error()
	}
	out.Objects, out.Bytes = len(report.Items), report.Bytes
	return out, nil
}

// KeepErased removes what this machine has of projects that were erased, also by other engines, or before this one began.
func (a *Service) KeepErased(ctx context.Context) {
	look := time.NewTicker(eraseLook)
	defer look.Stop()
	for said := ""; ; {
		err := a.erasures.Sweep(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			said = ""
		case err.Error() != said:
			said = err.Error()
			a.log.Error("not all that is left of erased projects could be removed; it is tried again", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
	}
}

// unnamedObjects removes objects that nothing names and that were put before a time.
func (a *Service) unnamedObjects(ctx context.Context, before time.Time) error {
	_, err := a.retainUnnamed(ctx, before)
	return err
}

// retainUnnamed is unnamedObjects for all that are old enough if before is zero.
func (a *Service) retainUnnamed(ctx context.Context, before time.Time) (retention.Report, error) {
	a.pruning.Lock()
	defer a.pruning.Unlock()
	if before.IsZero() {
		now, err := a.store.Now(ctx)
		if err != nil {
			return retention.Report{}, err
		}
		before = now
	}
	report, err := a.retain(ctx, retention.Request{Before: before, ObjectsOnly: true, Remove: true})
	if err == nil {
		a.sweep(ctx)
	}
	return report, err
}
