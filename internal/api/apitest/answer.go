package apitest

import (
	"context"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Approve answers with the run.
func (s *Service) Approve(ctx context.Context, id string, req api.Approve) (api.Run, error) {
	return s.commanded(ctx, "approve", id, req)
}

// Feedback answers with the run.
func (s *Service) Feedback(ctx context.Context, id string, req api.Feedback) (api.Run, error) {
	return s.commanded(ctx, "feedback", id, req)
}

// Rollback answers with the run.
func (s *Service) Rollback(ctx context.Context, id string, req api.Rollback) (api.Run, error) {
	return s.commanded(ctx, "rollback", id, req)
}

// Skip answers with the run.
func (s *Service) Skip(ctx context.Context, id string, req api.Skip) (api.Run, error) {
	return s.commanded(ctx, "skip", id, req)
}

// Retry answers with the run.
func (s *Service) Retry(ctx context.Context, id string, req api.Retry) (api.Run, error) {
	return s.commanded(ctx, "retry", id, req)
}

// Pause answers with the run.
func (s *Service) Pause(ctx context.Context, id string, req api.Pause) (api.Run, error) {
	return s.commanded(ctx, "pause", id, req)
}

// Resume answers with the run.
func (s *Service) Resume(ctx context.Context, id string, req api.Resume) (api.Run, error) {
	return s.commanded(ctx, "resume", id, req)
}

// Cancel answers with the run.
func (s *Service) Cancel(ctx context.Context, id string, req api.Cancel) (api.Run, error) {
	return s.commanded(ctx, "cancel", id, req)
}

// Merge answers with the run.
func (s *Service) Merge(ctx context.Context, id string, req api.Merge) (api.Run, error) {
	return s.commanded(ctx, "merge", id, req)
}

// Mergeable answers with MergeAnswer.
func (s *Service) Mergeable(_ context.Context, id string) (api.Mergeable, error) {
	_, err := s.find(id)
	return s.MergeAnswer, err
}

// Swap implements [api.Service].
func (s *Service) Swap(ctx context.Context, id string, req api.Swap) (api.Run, error) {
	return s.commanded(ctx, "swap", id, req)
}

// Inbox answers with Waiting.
func (s *Service) Inbox(context.Context) ([]api.Waiting, error) { return s.Waiting, nil }

// Limits answers with those of Accounts that are asked for.
func (s *Service) Limits(_ context.Context, q api.LimitsQuery) ([]api.Account, error) {
	return slices.DeleteFunc(slices.Clone(s.Accounts), func(a api.Account) bool { return q.Of != "" && q.Of != a.Name && q.Of != a.ID }), nil
}

// Trust answers with TrustAnswer.
func (s *Service) Trust(ctx context.Context, req api.Trust) (api.Trusted, error) {
	if err := s.word(ctx, "trust", "", req); err != nil {
		return api.Trusted{}, err
	}
	answer := s.TrustAnswer
	answer.Trusted = answer.Trusted || req.Confirm != "" && req.Confirm == answer.Hash
	return answer, nil
}

// Import answers with ImportAnswer.
func (s *Service) Import(ctx context.Context, req api.Import) (api.Imported, error) {
	return s.ImportAnswer, s.word(ctx, "import", "", req)
}

// Replay answers with ReplayAnswer.
func (s *Service) Replay(ctx context.Context, id string) (api.Replay, error) {
	return s.ReplayAnswer, s.word(ctx, "replay", id, nil)
}

// Backup only notes that it was asked.
func (s *Service) Backup(ctx context.Context, path string) error {
	return s.word(ctx, "backup", "", path)
}

// Info answers with InfoAnswer.
func (s *Service) Info(context.Context) (api.Info, error) { return s.InfoAnswer, nil }
