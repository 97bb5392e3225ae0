package app

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// nameFrom makes a name of where a repository lies: its last part, or that
// before a .git.
func nameFrom(where string) string {
	where = strings.TrimSuffix(strings.TrimRight(where, "/"), ".git")
	_, last, _ := strings.Cut(path.Base(strings.TrimRight(where, "/")), ":") // host:shop
	if last == "" {
		last = path.Base(strings.TrimRight(where, "/"))
	}
	name := strings.Trim(strings.ReplaceAll(spell(last), " ", "-"), "-._")
	name = strings.TrimRight(strings.ToValidUTF8(name[:min(len(name), core.MaxProjectName-8)], ""), "-._")
	if !core.ProjectName(name) {
		return "project"
	}
	return name
}

// maxNames bounds the search for a name that nobody has.
const maxNames = 1000

// register puts a repository under Stellwerk. Where its name is taken, it gets a
// number.
func (a *App) register(ctx context.Context, body core.ProjectRegistered, base string) error {
	now, err := a.store.Now(ctx)
	if err != nil {
		return err
	}
	stem := body.Name
	for n := 2; ; n++ {
		err := a.nameFree(ctx, body.Project, body.Name)
		if err == nil {
			err = a.engine.Register(ctx, body, store.ProjectRow{
				ID: body.Project, Name: body.Name, RepoURL: body.Path + body.URL, DefaultBranch: base, Status: "active",
				LastActivity: now, CreatedAt: now, CreatedBy: Person(),
			})
		}
		if core.CodeOf(err) != core.CodeConflict || n > maxNames {
			return err
		}
		if p, err := a.engine.Project(ctx, body.Project); err != nil || p != nil {
			return err // somebody else has registered it this moment
		}
		body.Name = fmt.Sprintf("%s-%d", stem, n)
	}
}

// nameFree refuses a name that another project has.
func (a *App) nameFree(ctx context.Context, project, name string) error {
	row, err := a.store.Project(ctx, name)
	if errors.Is(err, store.ErrNotFound) || err == nil && row.ID == project {
		return nil
	}
	if err != nil {
		return err
	}
	return core.Errorf(core.CodeConflict, "%s is called %s already", row.RepoURL, name).WithHint("choose another name with --id")
}

// findProject loads a project by its name or key.
func (a *App) findProject(ctx context.Context, nameOrKey string) (*core.Project, error) {
	row, err := a.store.Project(ctx, nameOrKey)
	if errors.Is(err, store.ErrNotFound) {
		return nil, core.Errorf(core.CodeNotFound, "there is no project %.80q", nameOrKey).Offer(core.Choice{Verb: core.VerbProjects})
	}
	if err != nil {
		return nil, err
	}
	return a.engine.Project(ctx, row.ID)
}
