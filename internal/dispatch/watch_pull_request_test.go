package dispatch

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestHowOftenARepositoryIsAsked: the setting is for servers, and no setting makes a
// nuisance of it.
func TestHowOftenARepositoryIsAsked(t *testing.T) {
	for remote, paces := range map[string]map[time.Duration]time.Duration{
		"/home/me/shop":                 {0: pollLocal, time.Second: pollLocal, time.Minute: pollLocal},
		"https://git.example.org/a.git": {0: pollLocal, time.Second: pollLocal, time.Minute: time.Minute},
	} {
		for setting, want := range paces {
			d := &Dispatcher{Options: Options{Poll: setting}}
			if got := d.pollEvery(&core.Run{Remote: remote}); got != want {
				t.Errorf("%s, setting %s: every %s, want %s", remote, setting, got, want)
			}
		}
	}
}
