package postgres

import (
	"sync"
	"time"
)

// fresh is for how long an answer of the database tells the time. On a machine that slept meanwhile the time is behind until that
// is over: what counts the time since then stood still, too.
const fresh = time.Second

// clock is the database's, as its last answer and the time since then tell it: behind by as long as the answer took, never ahead.
type clock struct {
	mu   sync.Mutex
	told time.Time // what the database said
	at   time.Time // when it had said so, by this machine's clock
	last time.Time // what was said last: it never goes back
}

// set takes an answer, and returns the time.
func (c *clock) set(told time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.told, c.at = told.UTC(), time.Now()
	return c.forward(c.told)
}

// now is the time, if an answer is fresh enough to tell it.
func (c *clock) now() (time.Time, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	since := time.Since(c.at)
	if c.at.IsZero() || since >= fresh {
		return time.Time{}, false
	}
	return c.forward(c.told.Add(since)), true
}

func (c *clock) forward(t time.Time) time.Time {
	if t = t.Truncate(time.Microsecond); t.After(c.last) {
		c.last = t
	}
	return c.last
}
