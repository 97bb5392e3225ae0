package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestASweepThatWasCutShort is not on record, and nobody is warned of it: the next
// engine sweeps.
func TestASweepThatWasCutShort(t *testing.T) {
	p := newPress(t)
	var log strings.Builder
	p.Log = slog.New(slog.NewTextHandler(&log, nil))
	ended, end := context.WithCancel(t.Context())
	end()
	if err := p.sweep(ended, p.run); !errors.Is(err, context.Canceled) {
		t.Errorf("an engine that ends swept: %v", err)
	}
	if log.Len() > 0 || len(p.engine.news) > 0 {
		t.Errorf("%d reports, and in the log: %s", len(p.engine.news), log.String())
	}
	if err := p.sweep(t.Context(), p.run); err != nil {
		t.Fatal(err)
	}
	if body := <-p.engine.news; body != (core.RunSwept{}) {
		t.Errorf("%+v was reported", body)
	}
}
