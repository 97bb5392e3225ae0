package apitest

import (
	"context"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Operated are the answers about the engine itself.
type Operated struct {
	Tests  []api.NoticeTest
	Pruned api.Pruned
	Signed api.SignedHistory
	Lines  string // of the export
}

// TestNotices implements api.Operations.
func (s *Service) TestNotices(ctx context.Context) ([]api.NoticeTest, error) {
	return s.Operated.Tests, s.word(ctx, "test-notices", "", nil)
}

// Prune implements api.Operations.
func (s *Service) Prune(ctx context.Context, req api.Prune) (api.Pruned, error) {
	return s.Operated.Pruned, s.word(ctx, "prune", "", req)
}

// SignHistory implements api.Audit.
func (s *Service) SignHistory(ctx context.Context) (api.SignedHistory, error) {
	return s.Operated.Signed, s.word(ctx, "sign-history", "", nil)
}

// ExportHistory implements api.Audit.
func (s *Service) ExportHistory(ctx context.Context, q api.HistoryQuery, w io.Writer) error {
	if err := s.word(ctx, "export-history", "", q); err != nil {
		return err
	}
	_, err := io.WriteString(w, s.Operated.Lines)
	return err
}
