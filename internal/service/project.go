package service

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
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
	if err := a.engine.Record(ctx, p.ID, api.CallerFrom(ctx).Actor, body); err != nil {
		return api.ProjectDetail{}, err
	}
	if err := a.engine.Tend(ctx, p.ID); err != nil {
		return api.ProjectDetail{}, err
	}
	return a.Project(ctx, p.ID)
}
