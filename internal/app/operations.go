package app

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Backup implements api.Service.
func (a *App) Backup(ctx context.Context, path string) error {
	return writeBackup(ctx, a.state, a.store, path, a.version)
}

// TestNotices implements api.Operations.
func (a *App) TestNotices(ctx context.Context) ([]api.NoticeTest, error) {
	told, err := a.teller.outbox.Test(ctx)
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
