package simulate

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// look holds what has happened since the last look against the laws.
func (s *sim) look() {
	if s.moved {
		s.moved = false
		s.readOn()
	}
	s.packed()
	s.promises()
}

// readOn reads what the store has come to.
func (s *sim) readOn() {
	streams, at, err := s.db.Moved(s.ctx, s.position, 10_000)
	if err != nil {
		s.breach("the store cannot be read: %v", err)
		return
	}
	s.position = at
	for _, stream := range streams {
		s.readStream(stream)
	}
	s.slots()
}

// readStream reads on in a stream. Its events follow one another, and what was concluded came under the fences of its owners,
// one after the other.
func (s *sim) readStream(stream string) {
	events, err := s.db.Events(s.ctx, stream, s.heads[stream].Seq, 10_000)
	if err == nil {
		s.heads[stream], err = core.VerifyChain(s.heads[stream], events)
	}
	if err != nil {
		s.breach("%s: %v", stream, err)
		return
	}
	_, id := core.StreamKind(stream)
	for _, e := range events {
		hash, err := e.Hash()
		if err != nil {
			s.breach("%s: %v", stream, err)
			return
		}
		s.hashes[stream], s.when[stream] = append(s.hashes[stream], hash), append(s.when[stream], time.Now())
		s.say("%s %d: %s %s", stream, e.Seq, e.Type, hash[:8])
		if s.runs[id], err = core.Fold(s.runs[id], e); err != nil {
			s.breach("%s: event %d: %v", stream, e.Seq, err)
			return
		}
		s.ordered(stream, e)
		s.name(e)
	}
	for _, a := range core.Effects(s.runs[id]) {
		s.requested[effect(id, a)] = true
	}
	switch r := s.runs[id]; {
	case r.Pause == nil:
	case r.Pause.Code == core.PauseUnlawful:
		s.breach("%s: %s", stream, r.Pause.Reason)
	case offered(r) == nil:
		s.breach("advice: %s is paused at event %d, and offers nothing that a person can do: %s", stream, r.Stream.Seq, r.Pause.Reason)
	}
}

// ordered: a conclusion never comes under a fence that another owner has passed.
func (s *sim) ordered(stream string, e core.Event) {
	body, err := core.Decode(e)
	if err != nil {
		s.breach("%s: event %d: %v", stream, e.Seq, err)
		return
	}
	by := ""
	switch b := body.(type) {
	case core.AttemptStarted:
		by = b.Agent
	case core.AttemptExited:
		by = b.Message
	case core.VerifyConcluded:
		by = b.Results[0].Detail
	default:
	}
	_, text, ok := strings.Cut(by, "/")
	if !ok {
		return
	}
	fence, err := strconv.ParseInt(text, 10, 64)
	if err != nil || fence < s.fences[stream] {
		s.breach("fence: event %d of %s was committed under fence %s after one under %d", e.Seq, stream, text, s.fences[stream])
	}
	s.fences[stream] = max(s.fences[stream], fence)
}

// slots: no pool has more holders than it has slots, and nobody waits while there is room.
func (s *sim) slots() {
	rows, err := s.db.Slots(s.ctx, "")
	if err != nil {
		s.breach("the slots cannot be read: %v", err)
		return
	}
	held := map[string]int{}
	for _, r := range rows {
		for _, p := range r.Pools {
			if r.Held {
				held[p.Key]++
			}
		}
	}
	for _, r := range rows {
		room := true
		for _, p := range r.Pools {
			if r.Held && held[p.Key] > p.Limit {
				s.breach("slots: %d hold one of %s, which has %d", held[p.Key], p.Key, p.Limit)
			}
			room = room && held[p.Key] < p.Limit
		}
		if !r.Held && room {
			s.breach("slots: %s waits although there is room", r.Holder)
		}
	}
}

// promises: what somebody was told is durable is in the store.
func (s *sim) promises() {
	s.world.mu.Lock()
	all := s.promised
	s.promised = nil
	s.world.mu.Unlock()
	slices.SortFunc(all, func(a, b promise) int { return cmp.Or(cmp.Compare(a.stream, b.stream), cmp.Compare(a.seq, b.seq)) })
	for _, p := range all {
		if known := s.hashes[p.stream]; p.seq < 1 || int(p.seq) > len(known) || known[p.seq-1] != p.hash {
			s.breach("lost: somebody was told that event %d of %s is durable, and it is not there", p.seq, p.stream)
		}
		s.say("promised %s %d", p.stream, p.seq)
	}
	s.kept = append(s.kept, all...)
}

// took: nobody takes a project from an engine that is well.
func (s *sim) took(by *member, taken []store.Owner) {
	for _, o := range taken {
		was := s.holders[o.Project]
		if was != nil && was != by && was.wellFor(2*lease) {
			s.breach("renewal: %s took %s from %s, which was well for %v", by.id, o.Project, was.id, time.Since(was.well))
		}
		if was != nil && was != by && was.frozen && !was.asleep { // the worst moment to go on is just now
			s.at(s.within(200*time.Millisecond), func() { s.thaw(was) })
		}
		s.holders[o.Project], s.newest[o.Project] = by, o.Fence
	}
}

// gaveBack notes that an engine has given a project back, or all of its projects.
func (s *sim) gaveBack(by *member, project string) {
	maps.DeleteFunc(s.holders, func(p string, m *member) bool { return m == by && (project == "" || p == project) })
}

// ended looks once more at everything when it is over.
func (s *sim) ended() {
	for stream, head := range s.heads {
		events, err := s.db.Events(s.ctx, stream, 0, 10_000)
		if err == nil {
			var now core.Head
			if now, err = core.VerifyChain(core.Head{}, events); now != head {
				s.breach("lost: %s ends at %d, and was at %d", stream, now.Seq, head.Seq)
			}
		}
		if err != nil {
			s.breach("%s: %v", stream, err)
		}
	}
	if rows, err := s.db.Slots(s.ctx, ""); err != nil || len(rows) > 0 {
		s.breach("slots: %d are held or waited for when every run is over, the first by %s: %v", len(rows), rows[0].Holder, err)
	}
	if claims, err := s.db.Claims(s.ctx); err != nil || len(claims) > 0 {
		s.breach("claims are held when every run is over: %v, %v", claims, err)
	}
}
