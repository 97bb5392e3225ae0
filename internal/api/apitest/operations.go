package apitest

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Operated are the answers about the engine itself.
type Operated struct {
	Tests  []api.NoticeTest
	Pruned api.Pruned
}

// TestNotices implements api.Operations.
func (s *Service) TestNotices(ctx context.Context) ([]api.NoticeTest, error) {
	return s.Operated.Tests, s.word(ctx, "test-notices", "", nil)
}

// Prune implements api.Operations.
func (s *Service) Prune(ctx context.Context, req api.Prune) (api.Pruned, error) {
	return s.Operated.Pruned, s.word(ctx, "prune", "", req)
}
