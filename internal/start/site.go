package start

import (
	"cmp"
	"context"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/find"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// site says which repository is meant: that of a project, by name or key, or
// if none is named, the one that holds the folder.
type site struct{ dir, project string }

// locate finds the repository that is meant.
func (a *Starter) locate(ctx context.Context, at site) (*ground, error) {
	dir := at.dir
	if at.project != "" {
		p, err := a.Find.Project(ctx, at.project)
		if err != nil {
			return nil, err
		}
		if p.URL != "" {
			return a.groundAt(ctx, at.dir, p.URL)
		}
		if a.Find.Elsewhere(p.ID, p.Path) {
			return nil, core.Errorf(core.CodeUnavailable, "the repository of project %s is on another machine, in %s", p.Name, p.Path).
				WithHint("ask an engine on that machine, or add the repository by its URL")
		}
		dir = p.Path
	}
	repo, err := yard.Locate(ctx, dir)
	if err != nil {
		return nil, find.LocateError(dir, err)
	}
	return &ground{starter: a, dir: at.dir, repo: repo, remote: repo.CommonDir, project: a.Find.ProjectID(repo.CommonDir)}, nil
}

// groundAt is the ground of a repository that is not on this machine.
func (a *Starter) groundAt(ctx context.Context, dir, url string) (*ground, error) {
	identity, err := yard.PersonIdentity(ctx, "/")
	if err != nil {
		return nil, err
	}
	return &ground{starter: a, dir: dir, repo: yard.Repository{Identity: identity}, remote: url, project: a.Find.ProjectID(url)}, nil
}

// far reports a repository without a working copy on this machine.
func (g *ground) far() bool { return g.repo.CommonDir == "" }

// folder is where the repository lies on this machine.
func (g *ground) folder() string { return cmp.Or(g.repo.Top, g.repo.CommonDir) }

// branch is the branch that work starts from if none is named.
func (g *ground) branch(ctx context.Context) (string, error) {
	if !g.far() && !g.repo.Detached {
		return g.repo.Branch, nil
	}
	where, branch := g.folder(), ""
	if g.far() {
		var err error
		where = g.remote
		if branch, err = g.yard.RemoteHead(ctx, g.remote); err != nil {
			return "", g.fetchError(err)
		}
	}
	if branch == "" {
		return "", core.Errorf(core.CodeInvalid, "no branch is checked out in %s, so there is nothing to start from", where).
			WithHint("name the branch").Offer(core.Choice{Verb: core.VerbWithBase})
	}
	return branch, nil
}

func (g *ground) fetchError(err error) error {
	hint := "check that " + g.remote + " is readable"
	switch {
	case errors.Is(err, yard.ErrNoCommits):
		return core.Errorf(core.CodeInvalid, "the repository at %s has no commits yet", g.remote).WithHint("push a first one")
	case errors.Is(err, yard.ErrAuth):
		hint = "the server does not let Stellwerk in; which credentials it is given: " + plain.Manual("projects.md")
	}
	return core.Wrap(core.CodeUnavailable, err, "the repository cannot be fetched", hint)
}
