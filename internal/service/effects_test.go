package service

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// TestTheNewestEffectsAreListed gathers more records than an answer holds.
func TestTheNewestEffectsAreListed(t *testing.T) {
	const all = 3*maxEffects + 7
	for limit, want := range map[int]int{0: maxEffects, 5: 5} {
		l := &effects{query: api.EffectQuery{Limit: limit, Tool: "bash"}}
		for i := range all {
			l.add(api.Effect{Attempt: "a", Tool: "Bash", At: time.Unix(int64(i), 0)})
			l.add(api.Effect{Attempt: "a", Tool: "Read", At: time.Unix(int64(i), 0)})
		}
		got := l.list()
		if len(got.Effects) != want || got.LeftOut != all-want || got.Total != 2*all || got.Effects[want-1].At != time.Unix(all-1, 0) {
			t.Errorf("limit %d: %d listed, %d left out of %d", limit, len(got.Effects), got.LeftOut, got.Total)
		}
	}
}

// TestWhatWasTooMuchIsNotHidden: an agent that writes more than is kept does not
// make calls that nobody hears of.
