package crash

import "testing"

// TestAnAttemptStartedTwiceRunsOnce starts two shims for every attempt: the
// agent must run once all the same.
func TestAnAttemptStartedTwiceRunsOnce(t *testing.T) {
	w := newWorld(t, "none", shortStory)
	o := w.order("feature/twice")
	o.Twice = true
	l := w.live(o)
	w.await("the end of the run", func() bool {
		select {
		case <-l.ended:
			return true
		default:
			return w.repeated() != ""
		}
	})
	l.kill()
	w.quiet()
	if attempt := w.repeated(); attempt != "" {
		t.Fatalf("attempt %s ran twice", attempt)
	}
	l.check()
	w.verify("feature/twice")
}

// repeated is an attempt whose agent began more than once; "" where none did.
func (w *world) repeated() string {
	for _, attempts := range w.deeds() {
		for attempt, d := range attempts {
			if d.begins > 1 {
				return attempt
			}
		}
	}
	return ""
}
