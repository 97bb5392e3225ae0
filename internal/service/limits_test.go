package service

import (
	"encoding/json"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

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
