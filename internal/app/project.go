package app

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// AddProject implements api.Service.
func (a *App) AddProject(ctx context.Context, req api.AddProject) (api.ProjectDetail, error) {
	if req.Name != "" && !core.ProjectName(req.Name) {
		return api.ProjectDetail{}, core.LawProject(nil, core.Engine(), core.ProjectRegistered{Name: req.Name})
	}
	if strings.ContainsAny(req.Playbook, "/\\") {
		return api.ProjectDetail{}, core.Errorf(core.CodeInvalid, "%.80q is a path, and a project's playbook is named", req.Playbook).
			WithHint("commit it as .stellwerk/playbooks/NAME.yaml, then --playbook NAME")
	}
	g, err := a.added(ctx, req)
	if err != nil {
		return api.ProjectDetail{}, err
	}
	if req.Name != "" {
		if err := a.nameFree(ctx, g.project, req.Name); err != nil {
			return api.ProjectDetail{}, err
		}
	}
	g.base, g.wanted = req.Base, req.Name
	g.forge.Kind.V = config.ForgeLocal // the repository itself is looked at, wherever its runs will be published
	if err := g.prepare(ctx); err != nil {
		return api.ProjectDetail{}, err
	}
	if err := g.register(ctx); err != nil {
		return api.ProjectDetail{}, err
	}
	if err := g.decide(ctx, req); err != nil {
		return api.ProjectDetail{}, err
	}
	d, err := a.Project(ctx, g.project)
	d.Warnings = g.warnings()
	return d, err
}

// added is the repository that is to be put under Stellwerk.
func (a *App) added(ctx context.Context, req api.AddProject) (*ground, error) {
	address, err := yard.ParseAddress(req.Repository)
	if err != nil {
		return nil, core.Errorf(core.CodeInvalid, "%w", err)
	}
	if address.URL != "" {
		return a.groundAt(ctx, "", address.URL)
	}
	if !filepath.IsAbs(address.Path) {
		return nil, core.Errorf(core.CodeInvalid, "%.200q is not an absolute path", address.Path)
	}
	return a.locate(ctx, site{dir: address.Path})
}

// decide records what a person says about a project as they add it.
func (g *ground) decide(ctx context.Context, req api.AddProject) error {
	p, err := g.app.engine.Project(ctx, g.project)
	if err != nil {
		return err
	}
	if req.Playbook != "" && req.Playbook != p.Playbook {
		if _, _, err := g.find(ctx, req.Playbook); err != nil {
			return err
		}
		if err := g.app.engine.Record(ctx, g.project, CallerOf(ctx), core.PlaybookChosen{Playbook: req.Playbook}); err != nil {
			return err
		}
	}
	if req.Name == "" || req.Name == p.Name {
		return nil
	}
	return g.app.engine.Record(ctx, g.project, CallerOf(ctx), core.ProjectNamed{Name: req.Name})
}

// PauseProject implements api.Service.
func (a *App) PauseProject(ctx context.Context, id string, req api.PauseProject) (api.ProjectDetail, error) {
	return a.tell(ctx, id, core.ProjectPaused{Reason: a.redactor.String(req.Reason)})
}

// ResumeProject implements api.Service.
func (a *App) ResumeProject(ctx context.Context, id string, _ api.ResumeProject) (api.ProjectDetail, error) {
	return a.tell(ctx, id, core.ProjectResumed{})
}

// ArchiveProject implements api.Service.
func (a *App) ArchiveProject(ctx context.Context, id string, req api.ArchiveProject) (api.ProjectDetail, error) {
	return a.tell(ctx, id, core.ProjectArchived{Reason: a.redactor.String(req.Reason)})
}

// DropEpic implements api.Service.
func (a *App) DropEpic(ctx context.Context, id string, req api.DropEpic) (api.ProjectDetail, error) {
	return a.tell(ctx, id, core.EpicDropped{Epic: req.Epic, Reason: a.redactor.String(req.Reason)})
}

// RequeueEpic implements api.Service.
func (a *App) RequeueEpic(ctx context.Context, id string, req api.RequeueEpic) (api.ProjectDetail, error) {
	if req.Epic != "" {
		return a.tell(ctx, id, core.EpicRequeued(req))
	}
	p, err := a.findProject(ctx, id)
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
func (a *App) tell(ctx context.Context, id string, body core.Body) (api.ProjectDetail, error) {
	p, err := a.findProject(ctx, id)
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
func (a *App) say(ctx context.Context, p *core.Project, body core.Body) error {
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
				WithHint("wait for it, or cancel it").Offer(core.Choice{Verb: core.VerbCancel, Run: open[0].Alias})
		}
	case core.EpicDropped:
		if e := p.Epic(b.Epic); e != nil {
			if row, err := a.store.Run(ctx, e.Run); err == nil {
				return core.Errorf(core.CodeConflict, "epic %s has become run %s", e.ID, row.Alias).WithHint("end it").Offer(core.Choice{Verb: core.VerbCancel, Run: row.Alias})
			}
		}
	default:
	}
	return a.engine.Record(ctx, p.ID, CallerOf(ctx), body)
}
