package service

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/backup"
)

// Backup implements api.Service.
func (a *Service) Backup(ctx context.Context, path string) error {
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
