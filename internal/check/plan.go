package check

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// ReadPlan reads what a plan proposes to leave out as role.ParsePlan does, and makes its texts fit to be shown.
func ReadPlan(data []byte) ([]core.SkipProposal, error) {
	skips, err := role.ParsePlan(data)
	for i := range skips {
		skips[i].Stage, skips[i].Reason = plain.Line(skips[i].Stage, 100), plain.Line(skips[i].Reason, 1000)
	}
	return skips, err
}
