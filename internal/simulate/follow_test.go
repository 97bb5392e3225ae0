package simulate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// late is when who follows a run has to know of an event, at an engine that is well.
const late = lease

// follower is a person who follows a run.
type follower struct {
	at    *member   // nil while looking for an engine
	since time.Time // when they reached it
	after int64     // the newest event that they saw
}

// follow has a person follow a run to its end, at whichever engine answers: every event once, in order.
func (s *sim) follow(run string) {
	f := &follower{}
	s.following[run] = f
	s.people.Go(func() {
		ada := &member{id: "ada"}
		for s.gate.pass(s.ctx, ada, false, fmt.Sprint("wants to follow ", run, " from ", f.after)) == nil {
			if f.at = s.someone(); f.at != nil && s.tell(run, f) == nil {
				break
			}
			select {
			case <-s.ctx.Done():
			case <-time.After(time.Second):
			}
		}
		if s.gate.pass(s.ctx, ada, false, "has seen the end of "+run) == nil {
			delete(s.following, run)
		}
	})
}

func (s *sim) tell(run string, f *follower) error {
	f.since = time.Now()
	defer func() { f.at = nil }()
	return f.at.engine.Follow(context.WithValue(f.at.hand.ctx, who{}, "who follows "+run), run, f.after, func(e core.Event) error {
		if e.Seq != f.after+1 {
			s.breach("cursor: who follows %s at %s sees event %d after event %d", run, f.at.id, e.Seq, f.after)
		}
		f.after = e.Seq
		return nil
	})
}

// behind looks from time to time that nobody who follows a run waits for an event that was committed long ago.
func (s *sim) behind() {
	s.at(late/4, s.behind)
	for _, run := range slices.Sorted(maps.Keys(s.following)) {
		f := s.following[run]
		when := s.when[core.RunStream(run)]
		if f.at == nil || !f.at.wellFor(late) || int(f.after) >= len(when) {
			continue
		}
		if waits := min(time.Since(when[f.after]), time.Since(f.since)); waits > late {
			s.breach("cursor: who follows %s at %s has not heard of event %d for %v", run, f.at.id, f.after+1, waits)
		}
	}
}

// someone is the engine that a person happens to reach; nil for none.
func (s *sim) someone() *member { return s.members[engines[s.rng.IntN(len(engines))]] }
