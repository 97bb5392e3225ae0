package worker

import (
	"testing"
	"time"
)

// TestPause: a checkpoint that takes long is made less often, within bounds that the period sets.
func TestPause(t *testing.T) {
	for _, c := range []struct{ period, took, want time.Duration }{
		{time.Minute, time.Second, time.Minute},
		{time.Minute, 6 * time.Second, 2 * time.Minute},
		{time.Minute, time.Minute, 20 * time.Minute},
		{time.Minute, time.Hour, 20 * time.Minute},
		{50 * time.Millisecond, 3 * time.Second, time.Second},
	} {
		if got := pause(c.period, c.took); got != c.want {
			t.Errorf("after %s of %s it is %s, want %s", c.took, c.period, got, c.want)
		}
	}
}
