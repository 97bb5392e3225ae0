package simulate

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// world is what everybody outside sees, and what was promised to people.
type world struct {
	mu       sync.Mutex
	acts     map[string]string    // effects that were executed, and by whom
	started  map[string]time.Time // by run and attempt: when it ends
	promised []promise            // not held against the store yet
	kept     []promise
	packs    packs
	tidied   int          // packs that nobody named
	tidying  atomic.Int32 // how many do so just now

	// What the store is known to have, which the scheduler alone looks at.
	position  int64
	moved     bool // the store may have come further
	runs      map[string]*core.Run
	heads     map[string]core.Head
	hashes    map[string][]string    // by stream: of its events
	fences    map[string]int64       // by stream: under which the newest conclusion came
	requested map[string]bool        // effects that a state asked for
	holders   map[string]*member     // by project
	newest    map[string]int64       // by project: the fence of its owner
	when      map[string][]time.Time // by stream: when its events were committed
	following map[string]*follower   // by run; not of those whose end was seen
	named     map[string]string      // packs: by which event
}

// promise is an event whose writer was told that it is durable.
type promise struct {
	stream string
	seq    int64
	hash   string
}

func newWorld() *world {
	return &world{
		acts: map[string]string{}, started: map[string]time.Time{}, packs: packs{at: map[string]time.Time{}}, named: map[string]string{},
		runs: map[string]*core.Run{}, heads: map[string]core.Head{}, hashes: map[string][]string{}, fences: map[string]int64{},
		requested: map[string]bool{}, holders: map[string]*member{}, following: map[string]*follower{}, newest: map[string]int64{}, when: map[string][]time.Time{},
	}
}

func (w *world) did(key string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.acts[key] != ""
}

// ends is when an attempt ends; long ago for one that nobody started, which is lost.
func (w *world) ends(run, attempt string) time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.started[run+" "+attempt]
}

// act executes an effect, where everybody sees it.
func (s *sim) act(key, by string, fence int64, run *core.Run, action core.Action) {
	s.say("%s does %s under %d", by, key, fence)
	s.world.mu.Lock()
	before := s.acts[key]
	s.acts[key] = by
	if start, ok := action.(core.StartAttempt); ok {
		name := run.ID + " " + start.Attempt
		s.started[name] = time.Now().Add(time.Second + s.draw("attempt "+name, 15*time.Second))
	}
	s.world.mu.Unlock()
	if before != "" {
		s.breach("twice: %s was executed by %s and again by %s under fence %d", key, before, by, fence)
	}
	if !s.requested[key] {
		s.breach("effect before commit: %s was executed by %s, and no event asks for it", key, by)
	}
}

// acknowledge notes that somebody was told that a run is at this state.
func (s *sim) acknowledge(state *core.Run) {
	s.promise(promise{core.RunStream(state.ID), state.Stream.Seq, state.Stream.Hash})
}

func (s *sim) promise(p promise) {
	s.world.mu.Lock()
	defer s.world.mu.Unlock()
	s.promised = append(s.promised, p)
}

// open are the runs that are not over, in order.
func (w *world) open() (all []*core.Run) {
	for _, r := range w.runs {
		if !r.Status.Terminal() {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(a, b *core.Run) int { return cmp.Compare(a.ID, b.ID) })
	return all
}
