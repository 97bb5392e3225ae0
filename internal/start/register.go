package start

import (
	"context"
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// maxNames bounds the search for a name that nobody has.
const maxNames = 1000

// Register puts a repository under Stellwerk. Where its name is taken, it gets a
// number.
func (a *Starter) Register(ctx context.Context, body core.ProjectRegistered, base string) error {
	now, err := a.Store.Now(ctx)
	if err != nil {
		return err
	}
	stem := body.Name
	for n := 2; ; n++ {
		err := a.nameFree(ctx, body.Project, body.Name)
		if err == nil {
			err = a.Engine.Register(ctx, body, store.ProjectRow{
				ID: body.Project, Name: body.Name, RepoURL: body.Path + body.URL, DefaultBranch: base, Status: "active",
				LastActivity: now, CreatedAt: now, CreatedBy: a.Person,
			})
		}
		if core.CodeOf(err) != core.CodeConflict || n > maxNames {
			return err
		}
		if p, err := a.Engine.Project(ctx, body.Project); err != nil || p != nil {
			return err // somebody else has registered it this moment
		}
		body.Name = fmt.Sprintf("%s-%d", stem, n)
	}
}

// nameFree refuses a name that another project has.
func (a *Starter) nameFree(ctx context.Context, project, name string) error {
	row, err := a.Store.Project(ctx, name)
	if errors.Is(err, store.ErrNotFound) || err == nil && row.ID == project {
		return nil
	}
	if err != nil {
		return err
	}
	return core.Errorf(core.CodeConflict, "%s is called %s already", row.RepoURL, name).WithHint("choose another name").Offer(core.Choice{Verb: core.VerbWithName})
}
