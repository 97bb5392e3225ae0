// Package exchange is the contract of how engine and attempt hand each other what they have: the attempt gets its spec,
// prompt, inputs and base and, while it runs, leave to spend and the word to end; it hands in output, what it spent, a
// delivery and, last, how it ended. Two forms carry it: package folder, for processes on the engine's machine, and package
// remote, for workers that share nothing with the engine and speak HTTP. Both pass exchangetest.Run. An exchange must not
// look into what it carries, and starts nothing: that is a spawner's.
package exchange

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// Exchange is the engine's side. Every method may be called at any time, by any engine, and again.
//
// Receive brings the attempt's folder on this machine up to date and returns its path: it holds everything that was offered
// to the attempt and everything that has arrived of it. Of what arrived a reader sees a beginning of the transcript, and
// exit.json only if all that it names is there. Of an attempt that nobody knows the folder need not exist.
//
// Grant tells the attempt's broker what it may spend from now on.
type Exchange interface {
	Receive(ctx context.Context, id spawn.ID) (folder string, err error)
	Grant(ctx context.Context, id spawn.ID, grant ledger.Grant) error
}
