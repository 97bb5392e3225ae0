// Package spare keeps one worker ahead of its attempt: a process that has loaded its program and waits for an order, which saves
// the attempt the time that takes. A spare has seen nothing of any attempt and carries out one. It must not know what an order
// asks for: spawners of every kind take from the same pool.
package spare

import (
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// waitTime is how long a spare waits for an attempt. While attempts follow one another there is one; a machine at rest
// has none.
const waitTime = 30 * time.Second

// orderTime is how long a spare may take to say that it has an order. One that waits does so in milliseconds, one that still loads
// on a busy machine in a second or two. An agent without isolation can stop a spare, which then never does.
const orderTime = 5 * time.Second

// endTime is how long a spare that nobody needs may take to end by itself and give back what it has reserved.
const endTime = time.Second

// Pool keeps at most one spare. A nil pool has none.
type Pool struct {
	command []string
	wait    time.Duration // waitTime
	answer  time.Duration // orderTime

	mu      sync.Mutex
	waiting *Process
	making  chan struct{} // closed when the one that is being started can be taken; nil if none is
	closed  bool
}

// New returns a pool without a spare yet. The command is that of a worker that waits for a shim.Order on its standard input.
func New(command []string) *Pool {
	return &Pool{command: command, wait: waitTime, answer: orderTime}
}

// Refill starts a spare in the background, if there is none.
func (p *Pool) Refill() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.waiting != nil || p.making != nil {
		return
	}
	done := make(chan struct{})
	p.making = done
	go func() {
		defer close(done)
		made, err := start(p.command, nil)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.making = nil
		if err != nil {
			return // the next attempt starts its worker itself, and says why that fails
		}
		made.timer = time.AfterFunc(p.wait, func() { p.drop(made) })
		p.waiting = made
	}()
}

// Give has the spare carry out an order. It returns nil if there is none that took it: the order is then still to be given, and
// a spare that did not answer is killed. It waits for one that is being started: another would take longer.
func (p *Pool) Give(order shim.Order) *Process {
	order.Answer = true
	made := p.take()
	if made == nil || made.order(order, p.answer) != nil {
		return nil
	}
	return made
}

// take is the spare, nil if there is none that lives.
func (p *Pool) take() *Process {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if making := p.making; making != nil {
		p.mu.Unlock()
		<-making
		p.mu.Lock()
	}
	made := p.waiting
	p.waiting = nil
	if made == nil {
		return nil
	}
	made.timer.Stop()
	select {
	case <-made.Ended:
		made.letGo()
		return nil
	default:
		return made
	}
}

// drop ends a spare that nobody needed.
func (p *Pool) drop(made *Process) {
	p.mu.Lock()
	unused := p.waiting == made
	if unused {
		p.waiting = nil
	}
	p.mu.Unlock()
	if unused {
		made.dismiss(endTime)
	}
}

// Close ends the spare and returns what is closed when it has ended, nil if there is none. No other is started. It waits until the
// spare has ended or, after a second, been killed: nobody could do that once the engine is gone.
func (p *Pool) Close() <-chan struct{} {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	made := p.take()
	if made == nil {
		return nil
	}
	made.dismiss(endTime)
	return made.Ended
}
