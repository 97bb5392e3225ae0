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

// orderTime is how long a spare may take to read an order that its pipe does not hold.
const orderTime = 5 * time.Second

// Pool keeps at most one spare. A nil pool has none.
type Pool struct {
	command []string
	wait    time.Duration // waitTime
	reading time.Duration // orderTime

	mu      sync.Mutex
	waiting *Process
	making  chan struct{} // closed when the one that is being started can be taken; nil if none is
	closed  bool
}

// New returns a pool without a spare yet. The command is that of a worker that waits for a shim.Order on its standard input.
func New(command []string) *Pool {
	return &Pool{command: command, wait: waitTime, reading: orderTime}
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

// Give has the spare carry out an order. It returns nil if there is none that took it: the order is then still to be given. It
// waits for one that is being started: another would take longer.
func (p *Pool) Give(order shim.Order) *Process {
	made := p.take()
	if made == nil || made.order(order, p.reading) != nil {
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
		made.dismiss()
		return nil
	default:
		return made
	}
}

// drop ends a spare that nobody needed.
func (p *Pool) drop(made *Process) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == made {
		p.waiting = nil
		made.dismiss()
	}
}

// Close ends the spare and returns what is closed when it has ended, nil if there is none. No other is started.
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
	made.dismiss()
	return made.Ended
}
