package simulate

import (
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

// lease is how long an engine that is not heard of keeps its projects: that of the program.
const lease = 10 * time.Second

// mute is a journal that nobody reads.
type mute struct{}

func (mute) Append(context.Context, *core.Run, []core.Event, core.Bodies) error { return nil }
func (mute) Seq(_ context.Context, r *core.Run) (int64, error)                  { return r.Stream.Seq, nil }

// member is one life of an engine.
type member struct {
	id     string
	engine *engine.Engine
	port   *port
	hand   *hand
	cancel context.CancelFunc
	done   chan error

	dead   atomic.Bool
	cut    atomic.Bool // the store does not answer it
	frozen bool        // it stands still
	asleep bool        // and does so for long, whatever others do
	leaves bool        // it renews nothing any more, whether or not it can still give back what it owns
	well   time.Time   // since when nothing keeps it from working
}

// begin begins a life of an engine.
func (s *sim) begin(id string) {
	m := &member{id: id, done: make(chan error, 1), well: time.Now()}
	m.port = &port{Store: s.db, by: m, sim: s, signals: make(chan struct{}, 1)}
	m.engine = engine.New(engine.Options{
		Store: m.port, Journal: mute{}, Deciders: []core.Decider{phases.Decider{}}, Log: s.log(id),
		ID: id, Host: "host of " + id, Lease: lease, States: s.states,
	})
	ctx, cancel := context.WithCancel(s.ctx)
	m.cancel = cancel
	m.hand = &hand{sim: s, by: m, ctx: ctx, flight: map[string]*job{}}
	m.engine.SetDispatcher(m.hand)
	s.members[id] = m
	s.lives.Go(func() {
		err := m.engine.Run(ctx)
		m.hand.work.Wait()
		m.done <- err
		if err != nil && s.gate.pass(ctx, &member{id: id}, false, "cannot begin") == nil {
			s.kill(id)
			s.at(3*time.Second, func() { s.begin(id) })
		}
	})
}

// unwell notes that something keeps an engine from working, for so long from now.
func (m *member) unwell(d time.Duration) {
	if until := time.Now().Add(d); until.After(m.well) {
		m.well = until
	}
}

// wellFor reports that nothing has kept an engine from working for a while.
func (m *member) wellFor(d time.Duration) bool {
	return !m.dead.Load() && !m.cut.Load() && !m.frozen && !m.leaves && time.Since(m.well) > d
}

// kill ends an engine at once.
func (s *sim) kill(id string) {
	m := s.members[id]
	delete(s.members, id)
	s.gate.kill(m)
	m.cancel()
}

// leave ends an engine in order, and begins its next life some time after that: two lives of one engine are never at once.
func (s *sim) leave(id string, later time.Duration) {
	m := s.members[id]
	delete(s.members, id)
	m.leaves = true
	m.cancel()
	s.lives.Go(func() {
		<-m.done
		if err := m.engine.Leave(s.ctx); err != nil {
			s.log(id).Warn("does not leave", "error", err)
		}
		if s.gate.pass(s.ctx, &member{id: id}, false, "has left") == nil {
			s.at(later, func() { s.begin(id) })
		}
	})
}

func (s *sim) log(id string) *slog.Logger {
	if s.out == nil {
		return slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	return slog.New(slog.NewTextHandler(s.out, nil)).With("engine", id)
}
