package shell_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli"
	"github.com/stellwerk-dev/stellwerk/internal/cli/clitest"
	"github.com/stellwerk-dev/stellwerk/internal/cli/shell"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestACommandEndsWithItsStateFolder holds that a command whose own engine lost
// its folder says so once, and looks for no other engine: that one would begin on
// an empty folder.
func TestACommandEndsWithItsStateFolder(t *testing.T) {
	b := clitest.New(t).Own()
	b.Put("r1", core.StatusActive)
	connect, connected := b.Dial, 0
	b.Dial = func(ctx context.Context, o shell.ConnectOptions) (api.Service, func() error, error) {
		connected++
		svc, end, err := connect(ctx, o)
		gone := core.Errorf(core.CodeUnavailable, "the folder is gone").WithHint("put it back")
		o.Lost(gone)
		return svc, func() error { _ = end(); return gone }, err
	}
	b.Run(t, shell.ExitError, "watch", "alias-r1")
	b.Said(t, b.Err, "the folder is gone", "try: put it back")
	if said := strings.Count(b.Err.String(), "gone"); said != 1 || connected != 1 || b.Closed != 1 {
		t.Errorf("said %d times, connected %d, closed %d", said, connected, b.Closed)
	}
}

// TestAMisspeltStateFolderIsNotMade: commands that have nothing to do in an empty one refuse it before they connect.
func TestAMisspeltStateFolderIsNotMade(t *testing.T) {
	misspelt := filepath.Join(t.TempDir(), "misspelt")
	for _, args := range [][]string{
		{"status"}, {"inbox"}, {"log", "r1"}, {"projects"}, {"limits"}, {"approve", "r1"}, {"approve", "r1", "--detach"}, {"cancel", "r1"},
		{"backup", "copy"}, {"prune"}, {"notify", "test"}, {"tokens", "list"}, {"tokens", "revoke", "t1"}, {"chat"}, {"answer", "q1", "yes"}, {"answer", "q1", "yes", "--detach"},
		{"say", "hello"}, {"messages"}, {"conversations"}, {"tool", "detail", "r1"},
	} {
		b := clitest.New(t)
		b.Dial = func(context.Context, shell.ConnectOptions) (api.Service, func() error, error) {
			t.Errorf("%s: an engine is asked", args)
			return nil, nil, context.Canceled
		}
		b.Run(t, shell.ExitError, append(args, "--state", misspelt)...)
		b.Said(t, b.Err, "there is no state folder at "+misspelt, "check --state")
	}
}

// TestAStateFolderBeginsSomewhere: commands that have something to do in an empty one make it.
func TestAStateFolderBeginsSomewhere(t *testing.T) {
	for _, args := range [][]string{{"run", "goal"}, {"run", "goal", "--dry-run"}, {"trust", "--yes"}, {"projects", "add", "/tmp"}, {"tokens", "add", "ann", "--role", "viewer"}} {
		b := clitest.New(t)
		asked := false
		b.Dial = func(context.Context, shell.ConnectOptions) (api.Service, func() error, error) {
			asked = true
			return nil, nil, context.Canceled
		}
		cli.Run(t.Context(), b.Program, append(args, "--state", filepath.Join(t.TempDir(), "new")))
		if !asked {
			t.Errorf("%s: %s", args, b.Err)
		}
	}
}
