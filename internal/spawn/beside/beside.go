// Package beside lets attempts of interactive sessions run beside those that run elsewhere. A session is a program on this
// machine, and its agents work in folders of this machine, wherever the others do. An attempt is a session's from the moment
// it is offered to one. The package must not keep anything: the attempt's folder says whose it is.
package beside

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/spawn/session"
)

// Spawner implements spawn.Spawner.
type Spawner struct {
	Folder    func(spawn.ID) string // of an attempt, on this machine
	Sessions  spawn.Spawner
	Elsewhere spawn.Spawner
}

// Exchange implements exchange.Exchange.
type Exchange struct {
	Folder    func(spawn.ID) string
	Sessions  exchange.Exchange
	Elsewhere exchange.Exchange
}

var (
	_ spawn.Spawner     = Spawner{}
	_ exchange.Exchange = Exchange{}
)

func (s Spawner) of(id spawn.ID) spawn.Spawner {
	if session.Offered(s.Folder(id)) {
		return s.Sessions
	}
	return s.Elsewhere
}

// Capabilities implements spawn.Spawner.
func (s Spawner) Capabilities() spawn.Capabilities {
	c := s.Elsewhere.Capabilities()
	c.Sessions = s.Sessions.Capabilities().Sessions
	return c
}

// Start implements spawn.Spawner.
func (s Spawner) Start(ctx context.Context, o spawn.Order) error { return s.of(o.ID).Start(ctx, o) }

// Probe implements spawn.Spawner.
func (s Spawner) Probe(ctx context.Context, id spawn.ID) (spawn.Status, error) {
	return s.of(id).Probe(ctx, id)
}

// Kill implements spawn.Spawner.
func (s Spawner) Kill(ctx context.Context, id spawn.ID) error { return s.of(id).Kill(ctx, id) }

// Wait implements spawn.Spawner.
func (s Spawner) Wait(ctx context.Context, id spawn.ID) (spawn.Status, error) {
	return s.of(id).Wait(ctx, id)
}

// Idle implements spawn.Spawner.
func (s Spawner) Idle(id spawn.ID) <-chan struct{} { return s.of(id).Idle(id) }

// Salvage implements spawn.Spawner.
func (s Spawner) Salvage(ctx context.Context, id spawn.ID) error { return s.of(id).Salvage(ctx, id) }

func (x Exchange) of(id spawn.ID) exchange.Exchange {
	if session.Offered(x.Folder(id)) {
		return x.Sessions
	}
	return x.Elsewhere
}

// Shared implements exchange.Exchange: that of attempts which are no session's.
func (x Exchange) Shared() bool { return x.Elsewhere.Shared() }

// Offer implements exchange.Exchange.
func (x Exchange) Offer(ctx context.Context, o exchange.Offer) error { return x.of(o.ID).Offer(ctx, o) }

// Receive implements exchange.Exchange.
func (x Exchange) Receive(ctx context.Context, id spawn.ID) (string, error) {
	return x.of(id).Receive(ctx, id)
}

// Grant implements exchange.Exchange.
func (x Exchange) Grant(ctx context.Context, id spawn.ID, g ledger.Grant) error {
	return x.of(id).Grant(ctx, id, g)
}

// Forget implements exchange.Exchange. Of a session's attempt there is nothing beside its folder.
func (x Exchange) Forget(ctx context.Context, id spawn.ID) error { return x.Elsewhere.Forget(ctx, id) }
