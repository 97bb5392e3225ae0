package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestACommandEndsWithItsStateFolder holds that a command whose own engine lost
// its folder says so once, and looks for no other engine: that one would begin on
// an empty folder.
func TestACommandEndsWithItsStateFolder(t *testing.T) {
	b := newBench(t).own()
	b.put("r1", core.StatusActive)
	connect, connected := b.Dial, 0
	b.Dial = func(ctx context.Context, o shell.ConnectOptions) (api.Service, func() error, error) {
		connected++
		svc, end, err := connect(ctx, o)
		gone := core.Errorf(core.CodeUnavailable, "the folder is gone").WithHint("put it back")
		o.Lost(gone)
		return svc, func() error { _ = end(); return gone }, err
	}
	b.run(t, shell.ExitError, "watch", "alias-r1")
	b.said(t, b.err, "the folder is gone", "try: put it back")
	if said := strings.Count(b.err.String(), "gone"); said != 1 || connected != 1 || b.closed != 1 {
		t.Errorf("said %d times, connected %d, closed %d", said, connected, b.closed)
	}
}
