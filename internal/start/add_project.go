package start

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// AddProject puts a repository under Stellwerk, and returns its key and what a person
// should know about it.
func (a *Starter) AddProject(ctx context.Context, req api.AddProject) (project string, warnings []string, err error) {
	if req.Name != "" && !core.ProjectName(req.Name) {
		return "", nil, core.LawProject(nil, core.Engine(), core.ProjectRegistered{Name: req.Name})
	}
	if strings.ContainsAny(req.Playbook, "/\\") {
		return "", nil, core.Errorf(core.CodeInvalid, "%.80q is a path, and a project's playbook is named", req.Playbook).
			WithHint("commit it as .stellwerk/playbooks/NAME.yaml, then name it").Offer(core.Choice{Verb: core.VerbWithPlaybook})
	}
	g, err := a.added(ctx, req)
	if err != nil {
		return "", nil, err
	}
	if req.Name != "" {
		if err := a.nameFree(ctx, g.project, req.Name); err != nil {
			return "", nil, err
		}
	}
	g.base, g.wanted = req.Base, req.Name
	g.forge.Kind.V = config.ForgeLocal // the repository itself is looked at, wherever its runs will be published
	if err := g.prepare(ctx); err != nil {
		return "", nil, err
	}
	if err := g.register(ctx); err != nil {
		return "", nil, err
	}
	if err := g.decide(ctx, req); err != nil {
		return "", nil, err
	}
	return g.project, g.warnings(), nil
}

// added is the repository that is to be put under Stellwerk.
func (a *Starter) added(ctx context.Context, req api.AddProject) (*ground, error) {
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
	p, err := g.starter.Engine.Project(ctx, g.project)
	if err != nil {
		return err
	}
	if req.Playbook != "" && req.Playbook != p.Playbook {
		if _, _, err := g.find(ctx, req.Playbook); err != nil {
			return err
		}
		if err := g.starter.Engine.Record(ctx, g.project, api.CallerFrom(ctx).Actor, core.PlaybookChosen{Playbook: req.Playbook}); err != nil {
			return err
		}
	}
	if req.Name == "" || req.Name == p.Name {
		return nil
	}
	return g.starter.Engine.Record(ctx, g.project, api.CallerFrom(ctx).Actor, core.ProjectNamed{Name: req.Name})
}
