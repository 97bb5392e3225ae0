package check

import (
	"path"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// ReviewName is the artifact that is read as a reviewer's verdict.
const ReviewName = role.ReviewArtifact

// ReadReview reads a reviewer's verdict as role.ParseReview does, and makes its texts fit to be shown and its files fit
// to be matched. A file outside the project stays named and matches nothing.
func ReadReview(data []byte) (*core.Review, error) {
	review, err := role.ParseReview(data)
	if err != nil {
		return nil, err
	}
	review.Reason = plain.Text(review.Reason)
	for i := range review.Findings {
		f := &review.Findings[i]
		f.Type, f.Severity = plain.Line(f.Type, 100), plain.Line(f.Severity, 100)
		f.Issue = plain.Text(f.Issue)
		if f.File != "" {
			f.File = path.Clean(plain.Line(f.File, 4<<10))
		}
	}
	return review, nil
}
