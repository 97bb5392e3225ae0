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
		journal := d.journal()
		if failed := strings.Contains(journal, `"error"`); failed == gone || strings.Contains(journal, "cut short") != gone {
			t.Errorf("the client is gone: %v; the journal says %s", gone, journal)
		}
	}
}

// TestAWaiterThatEndsWithItsClientIsNoError ends the client before the step that
// its waiter belongs to has ended, and while the engine verifies.
func TestAWaiterThatEndsWithItsClientIsNoError(t *testing.T) {
	for _, verifying := range []bool{false, true} {
		d := newDesk(t)
		d.svc.Sessions.Turns(turns()["verify"])
		ctx, end := context.WithCancel(t.Context())
		if verifying {
			d.happens(hook.EventStop, stopping)
			d.Connect = func(ctx context.Context, _ bool) (api.Sessions, func() error, error) {
				end()
				return nil, nil, ctx.Err()
			}
		} else {
			end()
		}
		if code := d.Rewake(ctx, event(t, hook.EventStop, stopping), &bytes.Buffer{}); code != exitAnswered {
			t.Errorf("verifying: %v: exit %d", verifying, code)
		}
		end()
		if journal := d.journal(); strings.Contains(journal, `"error"`) || !strings.Contains(journal, "cut short") {
			t.Errorf("verifying: %v: the journal says %s", verifying, journal)
		}
	}
}

// journal is what was noted of the session's hooks.
func (d *desk) journal() string {
	d.t.Helper()
	dir, err := snapshot.Dir(d.State, session)
	if err != nil {
		d.t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "hooks.jsonl"))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}
