// Package patience says how long tests wait. A test waits for a condition, a
// signal or a process; how long that takes depends on the machine and on what
// else it does. The limit here only turns a hang into a message. It must not be
// used to prove that something is fast.
package patience

import "time"

// Limit is how long a test waits before it calls what it waits for a hang.
const Limit = 4 * time.Minute

// look is how often Until asks.
const look = 20 * time.Millisecond

// Over delivers once Limit has passed, for the last case of a select.
func Over() <-chan time.Time { return time.After(Limit) }

// Deadline is the moment at which Limit has passed, for connections.
func Deadline() time.Time { return time.Now().Add(Limit) }

// Until asks again and again for a condition that nothing signals, and reports
// whether it came true within Limit.
func Until(holds func() bool) bool {
	over := Over()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for !holds() {
		select {
		case <-over:
			return false
		case <-tick.C:
		}
	}
	return true
}
