package dispatch

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// slowShim claims its attempt at a time, or ends without.
type slowShim struct {
	spawn.Spawner
	at   time.Time
	then spawn.Status
}

func (s slowShim) Probe(context.Context, spawn.ID) (spawn.Status, error) {
	if time.Now().Before(s.at) {
		return spawn.Starting, nil
	}
	return s.then, nil
}

// TestAShimIsWaitedForAsLongAsItLives: a busy machine is not taken for a shim that
// fails, and one that failed keeps nobody waiting.
func TestAShimIsWaitedForAsLongAsItLives(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		d := &Dispatcher{Options: Options{Spawner: slowShim{at: began.Add(10 * time.Minute), then: spawn.Running}}}
		if err := d.claimed(t.Context(), spawn.ID{Run: "run", Attempt: "attempt"}); err != nil {
			t.Errorf("a slow shim: %v", err)
		}
		began = time.Now()
		d.Spawner = slowShim{then: spawn.Absent}
		if err := d.claimed(t.Context(), spawn.ID{Run: "run", Attempt: "attempt"}); err == nil || !strings.Contains(err.Error(), "attempts/run/attempt/shim.log") {
			t.Errorf("a shim that is gone: %v", err)
		}
		if waited := time.Since(began); waited > time.Second {
			t.Errorf("waited %s for a shim that is gone", waited)
		}
	})
}
