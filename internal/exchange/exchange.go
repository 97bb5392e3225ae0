// Package exchange is the contract of how engine and attempt hand each other what they have: the attempt gets its spec,
// prompt, inputs and base and, while it runs, leave to spend and the word to end; it hands in output, what it spent, a
// delivery and, last, how it ended. Two forms carry it: package folder, for processes on the engine's machine, and package
// remote, for workers that share nothing with the engine and speak HTTP. Both pass exchangetest.Run. An exchange must not
// judge what it carries, and starts nothing: that is a spawner's.
package exchange

import (
	"context"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
)

// Exchange is the engine's side. Every method may be called at any time, by any engine, and again.
//
// Shared reports that attempts work in folders of this machine. Otherwise each makes a workspace of its own from its base.
//
// Offer lets the attempt's worker have what lies in the attempt's folder: spec, prompt, inputs. It comes before the start,
// and is durable when it returns. An offer that a worker has claimed does not change.
//
// Receive brings the attempt's folder on this machine up to date and returns its path: it holds everything that was offered
// to the attempt and everything that has arrived of it. Of what arrived a reader sees a beginning of the transcript, and
// exit.json only if all that it names is there. Of an attempt that nobody knows the folder need not exist.
//
// Grant tells the attempt's broker what it may spend from now on.
//
// Forget gives up what is kept of an attempt beside its folder, for all attempts of a run if id names none. A worker that
// still has something to say is refused.
type Exchange interface {
	Shared() bool
	Offer(ctx context.Context, offer Offer) error
	Receive(ctx context.Context, id spawn.ID) (folder string, err error)
	Grant(ctx context.Context, id spawn.ID, grant ledger.Grant) error
	Forget(ctx context.Context, id spawn.ID) error
}

// Offer is an attempt whose folder is complete.
type Offer struct {
	spawn.ID
	// Places are the paths of this machine that spec and prompt name, and what they are called below an attempt's own root.
	Places []Place
	// Base is the commit that the attempt begins with, and Also are those that it is to merge. Pack writes them with their
	// history as a pack of git objects. Base is empty if the attempt gets no code.
	Base string
	Also []string
	// Shallow is git's list of the commits at which that history is cut off.
	Shallow []byte
	Pack    func(ctx context.Context, w io.Writer) error
}

// Place is a path of the engine's machine, and its name below the attempt's root.
type Place struct{ Path, Name string }
