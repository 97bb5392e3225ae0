package tool_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/tool"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// absent is an engine that does not answer the first calls, and notes by which
// names it was called.
type absent struct {
	apitest.Service
	times int
	code  core.Code
	calls []string
}

func (e *absent) Tell(ctx context.Context, _ string, _ api.Tell) (api.Told, error) {
	e.calls = append(e.calls, api.CallFrom(ctx))
	if len(e.calls) <= e.times {
		return api.Told{}, core.Errorf(e.code, "no answer")
	}
	return api.Told{Event: "e7"}, nil
}

// TestPatientCallsAgainByTheSameName: an engine that is being started anew is
// waited for, and can tell the repetition from a new call.
func TestPatientCallsAgainByTheSameName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine := &absent{times: 3, code: core.CodeUnavailable}
		tools := tool.Patient(engine, time.Minute)
		for range 2 {
			if told, err := tools.Tell(t.Context(), "r", api.Tell{Text: "hello"}); err != nil || told.Event != "e7" {
				t.Fatalf("%+v, %v", told, err)
			}
		}
		names := slices.Compact(slices.Clone(engine.calls))
		if len(engine.calls) != 5 || len(names) != 2 || names[0] == "" || names[1] == "" {
			t.Errorf("the calls were %q: four by one name and one by another are wanted", engine.calls)
		}
	})
}

// TestPatientGivesUp: when its time is over, and at once where it was refused.
func TestPatientGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		engine, began := &absent{times: 1 << 20, code: core.CodeUnavailable}, time.Now()
		_, err := tool.Patient(engine, time.Minute).Tell(t.Context(), "r", api.Tell{})
		if took := time.Since(began); core.CodeOf(err) != core.CodeUnavailable || wording.Hint(err) == "" || took < time.Minute || took > 2*time.Minute {
			t.Errorf("%v after %s", err, took)
		}
		engine = &absent{times: 1 << 20, code: core.CodeConflict}
		if _, err := tool.Patient(engine, time.Minute).Tell(t.Context(), "r", api.Tell{}); core.CodeOf(err) != core.CodeConflict || len(engine.calls) != 1 {
			t.Errorf("refused: %v after %d calls", err, len(engine.calls))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		engine, began = &absent{times: 1 << 20, code: core.CodeUnavailable}, time.Now()
		if _, err := tool.Patient(engine, time.Minute).Tell(ctx, "r", api.Tell{}); err == nil || time.Since(began) > 2*time.Second {
			t.Errorf("given up: %v after %s", err, time.Since(began))
		}
	})
}
