package service

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// AddProject implements api.Service.
func (a *Service) AddProject(ctx context.Context, req api.AddProject) (api.ProjectDetail, error) {
	project, warnings, err := a.start.AddProject(ctx, req)
	if err != nil {
		return api.ProjectDetail{}, err
	}
	d, err := a.Project(ctx, project)
	d.Warnings = warnings
	return d, err
}

// PauseProject implements api.Service.
func (a *Service) PauseProject(ctx context.Context, id string, req api.PauseProject) (api.ProjectDetail, error) {
	return a.tell(ctx, id, core.ProjectPaused{Reason: a.redactor.String(req.Reason)})
}

// ResumeProject implements api.Service.
func (a *Service) ResumeProject(ctx context.Context, id string, _ api.ResumeProject) (api.ProjectDetail, error) {
	return a.tell(ctx, id, core.ProjectResumed{})
}

// ArchiveProject implements api.Service.
func (a *Service) ArchiveProject(ctx context.Context, id string, req api.ArchiveProject) (api.ProjectDetail, error) {
	return a.tell(ctx, id, core.ProjectArchived{Reason: a.redactor.String(req.Reason)})
}

// DropEpic implements api.Service.
func (a *Service) DropEpic(ctx context.Context, id string, req api.DropEpic) (api.ProjectDetail, error) {
	return a.tell(ctx, id, core.EpicDropped{Epic: req.Epic, Reason: a.redactor.String(req.Reason)})
}

// RequeueEpic implements api.Service.
func (a *Service) RequeueEpic(ctx context.Context, id string, req api.RequeueEpic) (api.ProjectDetail, error) {
	if req.Epic != "" {
		return a.tell(ctx, id, core.EpicRequeued(req))
	}
	p, err := a.find.Project(ctx, id)
	if err != nil {
		return api.ProjectDetail{}, err
	}
	if len(p.Queue) == len(p.Waiting()) {
		return api.ProjectDetail{}, core.Errorf(core.CodeConflict, "no epic of project %s was refused", p.Name)
	}
	for _, e := range p.Queue {
		if e.Refused == nil {
			continue
		}
		if _, err := a.tell(ctx, p.ID, core.EpicRequeued{Epic: e.ID}); err != nil {
			return api.ProjectDetail{}, err
		}
	}
	return a.Project(ctx, p.ID)
}

// tell records a person's word about a project and brings its runs in line.
func (a *Service) tell(ctx context.Context, id string, body core.Body) (api.ProjectDetail, error) {
	p, err := a.find.Project(ctx, id)
	if err != nil {
		return api.ProjectDetail{}, err
	}
	if err := a.say(ctx, p, body); err != nil {
		return api.ProjectDetail{}, err
	}
	if err := a.align(ctx, p.ID); err != nil {
		return api.ProjectDetail{}, err
	}
	return a.Project(ctx, p.ID)
}

// say records a person's word where nothing of the project that has begun
// stands against it.
func (a *Service) say(ctx context.Context, p *core.Project, body core.Body) error {
	a.standing.Lock()
	defer a.standing.Unlock()
	switch b := body.(type) {
	case core.ProjectArchived:
		open, err := a.store.Runs(ctx, store.Filter{Project: p.ID, Open: true, Limit: 1})
		if err != nil {
			return err
		}
		if len(open) > 0 {
			return core.Errorf(core.CodeConflict, "run %s of project %s is open", open[0].Alias, p.Name).
				WithHint("wait for it, or `stellwerk cancel %s`", open[0].Alias)
		}
	case core.EpicDropped:
		if e := p.Epic(b.Epic); e != nil {
			if row, err := a.store.Run(ctx, e.Run); err == nil {
				return core.Errorf(core.CodeConflict, "epic %s has become run %s", e.ID, row.Alias).WithHint("`stellwerk cancel %s` ends it", row.Alias)
			}
		}
	default:
	}
	return a.engine.Record(ctx, p.ID, api.CallerFrom(ctx).Actor, body)
}
