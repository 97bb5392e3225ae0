package crash

import "testing"

// TestManagerKills kills engines at random moments while a manager conducts a
// project: in the middle of its turns, of its calls and of what people say.
func TestManagerKills(t *testing.T) {
	t.Parallel() // most of the time is waited
	kills := int(number(t, killsVariable, defaultKills))
	w := newWorld(t, "none", managerStory)
	w.storm(max(kills/2, 1), chance(t))
}
