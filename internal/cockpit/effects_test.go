package cockpit

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// TestCallsThatWereNotSeenAreNotCounted: a line that stands for an attempt nobody
// could look into is no call.
func TestCallsThatWereNotSeenAreNotCounted(t *testing.T) {
	seen, unseen := api.Effect{Outcome: api.EffectOK}, api.Effect{Outcome: api.EffectUnobserved}
	for want, list := range map[string][]api.Effect{
		"1 call of a tool":                                           {seen},
		"1 attempt whose calls could not be seen":                    {unseen},
		"2 calls of tools, 2 attempts whose calls could not be seen": {seen, unseen, seen, unseen},
	} {
		if got := calls(list); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
