package service

import (
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/show"
	"github.com/stellwerk-dev/stellwerk/internal/start"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// StartRun implements api.Service.
func (a *Service) StartRun(ctx context.Context, req api.StartRun) (api.Run, error) {
	return a.startRun(ctx, req, anyPlaybook)
}

func anyPlaybook(*core.Playbook) error { return nil }

// startRun begins a run whose playbook fits what it is begun for. If the same was asked for
// before, perhaps of another engine, it returns what came of that.
func (a *Service) startRun(ctx context.Context, req api.StartRun, fits func(*core.Playbook) error) (api.Run, error) {
	if run, begun, err := a.begunBefore(ctx, req); begun || err != nil {
		return run, err
	}
	run, refused := a.startNew(ctx, req, fits)
	if refused == nil {
		return run, nil
	}
	if run, begun, err := a.begunBefore(ctx, req); begun && err == nil {
		return run, nil
	}
	return run, refused
}

// begunBefore finds the run that came of an earlier request with the same id, or the epic
// that is to become it.
func (a *Service) begunBefore(ctx context.Context, req api.StartRun) (run api.Run, begun bool, err error) {
	if req.ID == "" {
		return api.Run{}, false, nil
	}
	row, err := a.store.Run(ctx, req.ID)
	if err == nil {
		run, err := a.engine.Load(ctx, row.ID)
		if err != nil {
			return api.Run{}, false, err
		}
		return show.Run(run), true, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return api.Run{}, false, err
	}
	if req.Project == "" {
		return api.Run{}, false, nil
	}
	p, err := a.find.Project(ctx, req.Project)
	if err != nil {
		return api.Run{}, false, err
	}
	for _, e := range p.Queue {
		if e.Run == req.ID {
			run, err := a.viewWaiting(ctx, p, e)
			return run, true, err
		}
	}
	return api.Run{}, false, nil
}

// startNew prepares a run and begins it.
func (a *Service) startNew(ctx context.Context, req api.StartRun, fits func(*core.Playbook) error) (api.Run, error) {
	s, err := a.start.New(ctx, req, func(ctx context.Context, started core.RunStarted) (bool, error) {
		if err := fits(&started.Playbook); err != nil {
			return false, err
		}
		return a.waits(ctx, started)
	})
	if err != nil {
		return api.Run{}, err
	}
	defer a.start.EndTrial(ctx, s)
	view, err := a.begin(ctx, s)
	view.Warnings, view.Notes = s.Warnings, wording.Preflight(s.Started.Preflight)
	return view, err
}

// waits reports a goal that would wait in its project's queue: its checks are
// tried when its turn comes, on what the base is then.
func (a *Service) waits(ctx context.Context, started core.RunStarted) (bool, error) {
	p, err := a.engine.Project(ctx, started.Project)
	if err != nil || p == nil || !started.Playbook.Drives() {
		return false, err
	}
	driver, err := a.engine.Driver(ctx, p.ID)
	return driver != "" || core.LawWithin(p, started) != nil, err
}

// begin commits the start of a run, or if its project is not free for it, that
// its goal waits.
func (a *Service) begin(ctx context.Context, s *start.Prepared) (api.Run, error) {
	run, err := a.start.Submit(ctx, s, api.Speaker(ctx, s.Request.Session))
	if errors.Is(err, core.ErrBusy) && s.Started.Playbook.Drives() && !s.Request.NoQueue {
		return a.queue(ctx, s)
	}
	if err != nil {
		return api.Run{}, err
	}
	return show.Run(run), a.sessions.Refresh(ctx, run.ID)
}
