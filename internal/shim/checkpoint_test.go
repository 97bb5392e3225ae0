package shim

import (
	"context"
	"errors"
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
