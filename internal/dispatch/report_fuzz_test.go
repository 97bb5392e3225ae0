package dispatch

import (
	"encoding/json"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// FuzzReport holds that a report is either kept as an object within its bound, or named as one that is not.
func FuzzReport(f *testing.F) {
	for _, seed := range []string{`{"context":{"tests":{"passed":true}}}`, `{"context":{}}`, `{"context":null}`, `{"context":{"a":1},"Context":{}}`, "{}", "Done.", `{"context":{"n":1e400}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var delivery core.Delivery
		takeReport(&delivery, data)
		if len(delivery.Rejected) > 1 || len(delivery.Rejected) == 1 && delivery.Context != nil {
			t.Fatalf("%q: kept %s, rejected %q", data, delivery.Context, delivery.Rejected)
		}
		if delivery.Context == nil {
			return
		}
		var object map[string]any
		if err := json.Unmarshal(delivery.Context, &object); err != nil || len(object) == 0 || len(delivery.Context) > maxContext {
			t.Fatalf("%q is kept as %s: %v", data, delivery.Context, err)
		}
	})
}
