package relay

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// TestAHookThatEndsWithItsClientIsNoError ends the client while its hooks ask the
// engine, and compares with an engine that fails.
func TestAHookThatEndsWithItsClientIsNoError(t *testing.T) {
	for _, gone := range []bool{true, false} {
		d := newDesk(t)
		ctx, end := context.WithCancel(t.Context())
		d.Connect = func(ctx context.Context, _ bool) (api.Sessions, func() error, error) {
			if !gone {
				return nil, nil, errors.New("no answer")
			}
			end()
			return nil, nil, ctx.Err()
		}
		d.Handle(ctx, event(t, hook.EventStop, nil), &bytes.Buffer{}, &bytes.Buffer{})
		end()
		dir, err := snapshot.Dir(d.State, session)
		if err != nil {
			t.Fatal(err)
		}
		journal, err := os.ReadFile(filepath.Join(dir, "hooks.jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		if failed := strings.Contains(string(journal), `"error"`); failed == gone || strings.Contains(string(journal), "cut short") != gone {
			t.Errorf("the client is gone: %v; the journal says %s", gone, journal)
		}
	}
}
