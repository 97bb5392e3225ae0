package apitest

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Transcript answers with a piece of what the test put into Transcripts, where
// a place is how many records lie before it.
func (s *Service) Transcript(_ context.Context, _, attempt string, q api.TranscriptQuery) (api.Transcript, error) {
	whole, ok := s.Transcripts[attempt]
	if !ok {
		return api.Transcript{}, core.Errorf(core.CodeNotFound, "there is no attempt %q", attempt)
	}
	n := int64(len(whole.Records))
	most := n
	if q.Limit > 0 {
		most = min(most, int64(q.Limit))
	}
	begin, end := q.At, min(n, q.At+most)
	if !q.Forward {
		if end = q.At; end == 0 {
			end = n
		}
		begin = max(0, end-most)
	}
	if begin > n || end > n {
		return api.Transcript{}, core.Errorf(core.CodeInvalid, "no record begins at %d", q.At)
	}
	piece := whole
	piece.Attempt, piece.Begin, piece.End, piece.Records = attempt, begin, end, whole.Records[begin:end]
	piece.Done = whole.Done && end == n
	return piece, nil
}
