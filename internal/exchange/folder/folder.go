// Package folder is the exchange with attempts on the engine's own machine: both work in the attempt's folder, so that
// nothing has to be carried. It must not copy anything.
package folder

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// Exchange implements exchange.Exchange.
type Exchange struct {
	// Folder is where an attempt's folder is.
	Folder func(spawn.ID) string
}

var _ exchange.Exchange = Exchange{}

// Shared implements exchange.Exchange.
func (x Exchange) Shared() bool { return true }

// Offer implements exchange.Exchange: the worker finds it where it is.
func (x Exchange) Offer(context.Context, exchange.Offer) error { return nil }

// Receive implements exchange.Exchange.
func (x Exchange) Receive(_ context.Context, id spawn.ID) (string, error) { return x.Folder(id), nil }

// Grant implements exchange.Exchange.
func (x Exchange) Grant(_ context.Context, id spawn.ID, grant ledger.Grant) error {
	return ledger.WriteGrant(x.Folder(id), grant)
}

// Forget implements exchange.Exchange: there is nothing beside the folder.
func (x Exchange) Forget(context.Context, spawn.ID) error { return nil }
