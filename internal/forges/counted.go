package forges

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

// counted is a forge that tells of its calls.
type counted struct {
	forge.Forge
	called func(operation string, began time.Time, err error)
}

// Open implements forge.Forge.
func (f *counted) Open(ctx context.Context, req forge.PullRequest) (string, int, error) {
	began := time.Now()
	address, number, err := f.Forge.Open(ctx, req)
	f.called("open", began, err)
	return address, number, err
}

// Look implements forge.Forge.
func (f *counted) Look(ctx context.Context, ref forge.Ref) (forge.Seen, error) {
	began := time.Now()
	seen, err := f.Forge.Look(ctx, ref)
	f.called("look", began, err)
	return seen, err
}
