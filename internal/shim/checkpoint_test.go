package shim

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// TestACheckpointHasLittleTime: whatever an agent lays in its way holds up one checkpoint for a minute, and not for as long as
// the attempt's work may take to be handed in. A shorter limit of the attempt stays.
func TestACheckpointHasLittleTime(t *testing.T) {
	for limit, most := range map[time.Duration]time.Duration{defaultHandInTimeout: time.Minute, time.Second: time.Second} {
		folder, spec, has := t.TempDir(), goodSpec(t), time.Duration(0)
		spec.Writes, spec.Isolation, spec.HandInTimeout = core.WritesCode, sandbox.None, Duration(limit)
		if err := WriteSpec(folder, spec); err != nil {
			t.Fatal(err)
		}
		points, err := NewCheckpoints(folder, Options{
			NewRedactor: func([]string) (Redactor, error) { return veil{}, nil },
			HandIn:      []string{"/bin/false"}, HandInHere: func(ctx context.Context, _ string) error {
				if end, ends := ctx.Deadline(); ends {
					has = time.Until(end)
				}
				return errors.New("held up")
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := points.Save(t.Context()); err == nil || !strings.Contains(err.Error(), "held up") {
			t.Errorf("it is saved with %v", err)
		}
		if has <= 0 || has > most {
			t.Errorf("of %s it has %s", limit, has)
		}
	}
}

// TestACheckpointOfNoWorkspace: a workspace that is not there in the moment takes nothing from the checkpoint before.
func TestACheckpointOfNoWorkspace(t *testing.T) {
	folder, spec := t.TempDir(), goodSpec(t)
	spec.Writes, spec.Isolation = core.WritesCode, sandbox.None
	if err := WriteSpec(folder, spec); err != nil {
		t.Fatal(err)
	}
	var result HandInResult
	points, err := NewCheckpoints(folder, Options{
		NewRedactor: func([]string) (Redactor, error) { return veil{}, nil },
		HandIn:      []string{"/bin/false"}, HandInHere: func(_ context.Context, path string) error {
			request, err := ReadHandInRequest(path)
			if err != nil {
				return err
			}
			if !result.Empty {
				err = os.WriteFile(request.Bundle, []byte("bundle"), 0o600)
			}
			return errors.Join(err, request.WriteResult(result))
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	result = HandInResult{Commit: "c1"}
	if err := points.Save(t.Context()); err != nil {
		t.Fatal(err)
	}
	before, err := LastCheckpoint(folder)
	if err != nil || before == "" {
		t.Fatal(before, err)
	}
	result = HandInResult{Commit: spec.Base, Empty: true, Gone: "there is no folder"}
	if err := points.Save(t.Context()); err == nil || !strings.Contains(err.Error(), "there is no folder") {
		t.Errorf("it is saved with %v", err)
	}
	if after, err := LastCheckpoint(folder); err != nil || after != before {
		t.Errorf("the last is %s, %v", after, err)
	}
}
