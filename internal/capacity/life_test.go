package capacity

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/decider/project"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

// lease is how long an engine that is not heard of keeps its projects: that of the program.
const lease = 10 * time.Second

// mute is a journal that nobody reads.
type mute struct{}

func (mute) Append(context.Context, *core.Run, []core.Event, core.Bodies) error { return nil }
func (mute) Seq(_ context.Context, r *core.Run) (int64, error)                  { return r.Stream.Seq, nil }

// life is an engine at work.
type life struct {
	id     string
	engine *engine.Engine
	port   *counted
	hand   *hand
	ctx    context.Context
	cancel context.CancelFunc
	done   chan error
}

// begin has all engines begin, and every signal of the store reach each of them.
func (co *company) begin() {
	for n := range co.engines {
		l := &life{id: fmt.Sprint("e", n), done: make(chan error, 1)}
		l.ctx, l.cancel = context.WithCancel(co.ctx)
		l.port = &counted{db: co.db, tally: co.tally, signals: make(chan struct{}, 1)}
		l.engine = engine.New(engine.Options{
			Store: l.port, Journal: mute{}, Deciders: []core.Decider{phases.Decider{}}, Steward: project.Decider{}, Log: slog.New(slog.DiscardHandler),
			ID: l.id, Host: "host of " + l.id, Place: l.id, Lease: lease, Shared: true,
		})
		l.hand = newHand(co, l)
		l.engine.SetDispatcher(l.hand)
		co.lives = append(co.lives, l)
		go func() {
			err := l.engine.Run(l.ctx)
			l.hand.work.Wait()
			l.done <- err
		}()
	}
	ports := co.lives
	co.signals.Go(func() {
		for {
			select {
			case <-co.ctx.Done():
				return
			case <-co.db.Signals():
			}
			for _, l := range ports {
				select {
				case l.port.signals <- struct{}{}:
				default:
				}
			}
		}
	})
}

// busiest is the engine that owns most.
func (co *company) busiest() (which int) {
	most := -1
	for n, l := range co.lives {
		if owned, _ := l.engine.Owned(); owned > most {
			which, most = n, owned
		}
	}
	return which
}

// kill ends an engine, which gives nothing back.
func (co *company) kill(n int) *life {
	l := co.lives[n]
	co.lives = append(co.lives[:n:n], co.lives[n+1:]...)
	l.cancel()
	if err := <-l.done; err != nil {
		co.t.Error(err)
	}
	return l
}

// end ends all engines.
func (co *company) end() {
	for len(co.lives) > 0 {
		co.kill(0)
	}
}
