package service

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestALimitThatAPersonRaises is the only one that changes; who names none changes nothing.
func TestALimitThatAPersonRaises(t *testing.T) {
	for name, c := range map[string]struct {
		req  api.Resume
		want func(*core.Limits)
	}{
		"cost":             {api.Resume{MaxCostUSD: 7}, func(l *core.Limits) { l.CostUSD = 7 }},
		"tokens":           {api.Resume{MaxTokens: 7}, func(l *core.Limits) { l.Tokens = 7 }},
		"project cost":     {api.Resume{MaxProjectCostUSD: 7}, func(l *core.Limits) { l.Project.CostUSD = 7 }},
		"project tokens":   {api.Resume{MaxProjectTokens: 7}, func(l *core.Limits) { l.Project.Tokens = 7 }},
		"project time":     {api.Resume{MaxProjectTime: time.Hour}, func(l *core.Limits) { l.Project.WallTime = time.Hour }},
		"project attempts": {api.Resume{MaxProjectAttempts: 7}, func(l *core.Limits) { l.Project.Attempts = 7 }},
	} {
		want := core.DefaultLimits()
		c.want(&want)
		if got := raised(core.DefaultLimits(), c.req); got == nil || *got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	if got := raised(core.DefaultLimits(), api.Resume{}); got != nil {
		t.Errorf("nothing: %+v", got)
	}
}

// TestWhatIsLeftHasNoResidue in JSON: what is spent and held is taken off exactly.
func TestWhatIsLeftHasNoResidue(t *testing.T) {
	for want, c := range map[string]struct{ spent, limit, held float64 }{
		"0":    {2.9, 3.2, 0.3},
		"0.1":  {0.2, 0.3, 0},
		"0.07": {0.7, 0.8, 0.03},
	} {
		a := money(core.CostOf(c.spent, 0), c.limit, c.held)
		data, err := json.Marshal(a.Left)
		if err != nil {
			t.Fatal(err)
		}
		if string(data) != want || a.Reserved != c.held {
			t.Errorf("of $%v with $%v spent and $%v held %s is left, want %s", c.limit, c.spent, c.held, data, want)
		}
	}
}
