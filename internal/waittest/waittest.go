// Package waittest says how long tests wait. A test waits for a condition, a
// signal or a process; how long that takes depends on the machine and on what
// else it does. The limit here only turns a hang into a message. It must not be
// used to prove that something is fast.
package waittest

import (
	"os"
	"time"
)

// Limit is how long a test waits before it calls what it waits for a hang. It is
// long, because a wait of seconds takes minutes on a machine with twenty times as
// much to do; if you expect a hang, set STELLWERK_PATIENCE to something shorter.
var Limit = limit(os.Getenv("STELLWERK_PATIENCE"))

func limit(wish string) time.Duration {
	if wish == "" {
		return 20 * time.Minute
	}
	d, err := time.ParseDuration(wish)
	if err != nil || d <= 0 {
		panic("STELLWERK_PATIENCE must be a duration such as 1m, not " + wish)
	}
	return d
}

// Between two questions Until pauses for a few times as long as the question
// took, so that waiting leaves the machine to whatever is waited for.
const (
	shortest = 20 * time.Millisecond
	longest  = time.Second
	rest     = 3 // times as long as the question
)

// Over delivers once Limit has passed, for the last case of a select.
func Over() <-chan time.Time { return time.After(Limit) }

// Deadline is the moment at which Limit has passed, for connections.
func Deadline() time.Time { return time.Now().Add(Limit) }

// Until asks again and again for a condition that nothing signals, and reports
// whether it came true within Limit.
func Until(holds func() bool) bool {
	over := Over()
	for {
		asked := time.Now()
		if holds() {
			return true
		}
		select {
		case <-over:
			return holds()
		case <-time.After(min(max(shortest, rest*time.Since(asked)), longest)):
		}
	}
}
