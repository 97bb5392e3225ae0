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
		"1 tool call": {seen},
		"1 attempt with calls that Stellwerk could not see":                {unseen},
		"2 tool calls, 2 attempts with calls that Stellwerk could not see": {seen, unseen, seen, unseen},
	} {
		if got := calls(list); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
