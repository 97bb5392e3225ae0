package simulate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

var errGone = core.Errorf(core.CodeUnavailable, "the store does not answer")

// sim is one simulation. Its scheduler alone decides who goes next, while everybody else waits.
type sim struct {
	seed    uint64
	rng     *rand.Rand // of the scheduler
	ctx     context.Context
	db      store.Store
	state   string       // a folder for who asks for one
	clock   atomic.Int64 // by how much the store's is ahead of the engines'
	gate    *gate
	out     io.Writer // nil if nobody wants to read along
	members map[string]*member
	lives   sync.WaitGroup
	people  sync.WaitGroup
	plan    []planned
	states  int       // how many states of runs engines keep in memory
	wanted  int       // how many runs are to begin
	calm    time.Time // since when nothing fails any more; zero before
	woken   time.Time // by when an engine that slept has said what it knows
	steps   int
	words   int // that people have said
	*world

	mu     sync.Mutex
	trace  bytes.Buffer
	begun  time.Time
	broken []string
}

// planned is something that happens at a time.
type planned struct {
	at time.Time
	do func()
}

func newSim(ctx context.Context, seed uint64, out io.Writer) *sim {
	return &sim{
		seed: seed, rng: rand.New(rand.NewPCG(seed, 1)), ctx: ctx, out: out,
		gate: &gate{arrived: make(chan struct{}, 1)}, members: map[string]*member{},
		world: newWorld(), begun: time.Now(),
	}
}

// draw is a number below a bound that follows from the seed and a key alone, for who does not run in the scheduler's turn.
func (s *sim) draw(key string, below time.Duration) time.Duration {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s", s.seed, key))
	return time.Duration(binary.BigEndian.Uint64(sum[:]) % uint64(below))
}

// say puts a line on the trace.
func (s *sim) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := fmt.Sprintf("%12v %s\n", time.Since(s.begun), fmt.Sprintf(format, args...))
	s.trace.WriteString(line)
	if s.out != nil {
		_, _ = io.WriteString(s.out, line) // for who reads along
	}
}

// breach notes that a law is broken.
func (s *sim) breach(format string, args ...any) {
	s.say("BROKEN: "+format, args...)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broken = append(s.broken, fmt.Sprintf("%v: %s", time.Since(s.begun), fmt.Sprintf(format, args...)))
}

func (s *sim) isBroken() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.broken) > 0
}

// at plans something.
func (s *sim) at(after time.Duration, do func()) {
	s.plan = append(s.plan, planned{time.Now().Add(after), do})
}

// run lets things happen, one at a time, until over says so or a law is broken.
func (s *sim) run(over func() bool) {
	for !s.isBroken() {
		synctest.Wait()
		s.look()
		if over() {
			return
		}
		c := s.gate.next(s.travel)
		p := s.nextPlanned()
		now := time.Now()
		switch {
		case p >= 0 && !s.plan[p].at.After(now):
			do := s.plan[p].do
			s.plan = append(s.plan[:p], s.plan[p+1:]...)
			do()
		case c != nil && !c.ready.After(now):
			s.release(c)
		default:
			s.wait(c, p)
		}
	}
}

// nextPlanned is which of the planned things comes first; -1 if there is none.
func (s *sim) nextPlanned() int {
	first := -1
	for i, p := range s.plan {
		if first < 0 || p.at.Before(s.plan[first].at) {
			first = i
		}
	}
	return first
}

// wait lets time pass until something can happen.
func (s *sim) wait(c *call, p int) {
	d := time.Minute
	if c != nil {
		d = min(d, time.Until(c.ready))
	}
	if p >= 0 {
		d = min(d, time.Until(s.plan[p].at))
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-s.gate.arrived:
	}
}

// travel draws how long a call is on its way: usually a moment, sometimes long, and while things go wrong now and then
// longer than its engine waits.
func (s *sim) travel(c *call) {
	way := time.Duration(s.rng.Int64N(int64(3 * time.Millisecond)))
	switch n := s.rng.IntN(1000); {
	case n < 3 && s.calm.IsZero():
		way = time.Duration(s.rng.Int64N(int64(lease)))
		c.by.unwell(way)
	case n < 30:
		way = time.Duration(s.rng.Int64N(int64(lease / 10)))
	}
	c.ready = time.Now().Add(way)
}

// release gives a call its turn, and tells engines afterwards that there may be something to look at.
func (s *sim) release(c *call) {
	s.gate.leave(c)
	s.steps++
	var err error
	switch {
	case c.store && c.by.cut.Load():
		err = errGone
	case c.store && s.calm.IsZero() && s.rng.IntN(300) == 0: // a connection breaks
		err = errGone
		c.by.unwell(0)
	}
	s.say("%s: %s %v", c.by.id, c.key, err)
	c.turn <- err
	synctest.Wait()
	select {
	case <-s.db.Signals():
	default:
		return
	}
	for _, id := range engines {
		m := s.members[id]
		if m == nil || m != c.by && (m.cut.Load() || s.rng.IntN(4) == 0) { // who is elsewhere may miss it
			continue
		}
		select {
		case m.port.signals <- struct{}{}:
		default:
		}
	}
}

// now is the store's clock.
func (s *sim) now() time.Time { return time.Now().Add(time.Duration(s.clock.Load())) }
