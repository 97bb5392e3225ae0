package service

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/backup"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Backup implements api.Service. What only yards and the repositories of this machine hold is packed before, because a
// backup has objects and no yards.
func (a *Service) Backup(ctx context.Context, path string) error {
	rows, err := a.store.Runs(ctx, store.Filter{})
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, row := range rows {
		if seen[row.Project] {
			continue
		}
		seen[row.Project] = true
		if foreign := a.engine.Left(row.Project); foreign != nil {
			a.log.Warn("the backup has of a project that a newer version works on only what that version packed", "project", row.Project, "reason", foreign)
			continue
		}
		if err := a.yards.Secure(ctx, row.Project, true); err != nil {
			return core.Wrap(core.CodeUnavailable, err, "the code of a project cannot be packed for the backup", "look at its repository and at the space of the state folder, then try again")
		}
	}
	return backup.Write(ctx, a.state, a.store, path, a.version)
}

// TestNotices implements api.Operations.
func (a *Service) TestNotices(ctx context.Context) ([]api.NoticeTest, error) {
	told, err := a.outbox.Test(ctx)
	tests := make([]api.NoticeTest, 0, len(told))
	for _, t := range told {
		test := api.NoticeTest{Way: t.Way, OK: t.Err == nil}
		if t.Err != nil {
			test.Error = a.redactor.String(t.Err.Error())
		}
		tests = append(tests, test)
	}
	return tests, err
}
