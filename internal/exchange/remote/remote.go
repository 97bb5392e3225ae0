// Package remote is the exchange with workers that share nothing with the engine: they fetch what they need and hand in
// what they have over HTTP, from and to any engine. What arrives is kept as documents and objects before it is
// acknowledged, so it does not matter which engine heard it; an attempt's folder is a copy that Receive brings up to date.
// The package must not judge what arrives, except that it is whole, in order and from the one worker that claimed the
// attempt.
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// The documents of an attempt. The key of each begins with RUN/ATTEMPT.
const (
	kindOffer  = "attempt-offer"
	kindClaim  = "attempt-claim"
	kindBeat   = "attempt-beat"
	kindCancel = "attempt-cancel"
	kindGrant  = "attempt-grant"
	kindWant   = "attempt-want"
	kindStream = "attempt-stream" // RUN/ATTEMPT/NAME/OFFSET
	kindPart   = "attempt-part"   // RUN/ATTEMPT/DIGEST
	kindSaved  = "attempt-checkpoint"
	kindEnd    = "attempt-end"
	kindBase   = "attempt-base" // RUN/COMMIT, +COMMIT of others: their pack, which many attempts begin with
)

// Naming are the kinds of documents that name objects. These are kept until the attempt, or its run, is forgotten.
func Naming() []string {
	return []string{kindOffer, kindClaim, kindPart, kindSaved, kindEnd, kindBase}
}

// Store is where documents lie, and whose clock counts.
type Store interface {
	store.Documents
	Now(ctx context.Context) (time.Time, error)
}

// Options are what an exchange works with.
type Options struct {
	Store   Store
	Objects object.Objects
	// Folder is where this engine's copy of an attempt's folder is.
	Folder func(spawn.ID) string
	// Silence is how long a worker may say nothing before it is lost.
	Silence time.Duration
	Log     *slog.Logger
}

// DefaultSilence is long enough for an engine to be replaced.
const DefaultSilence = time.Minute

// look is how often a document is read that another engine may have changed.
const look = 500 * time.Millisecond

// Exchange implements exchange.Exchange, and serves workers (Handler).
type Exchange struct {
	Options

	mu      sync.Mutex
	heard   contact
	changed map[spawn.ID]chan struct{} // closed when something of the attempt changed in this process
	copies  map[spawn.ID]*replica
	packed  map[string]wire.Object // packs of bases, by what is in them
}

var _ exchange.Exchange = (*Exchange)(nil)

// New makes an exchange.
func New(o Options) *Exchange {
	return &Exchange{Options: o, heard: newContact(), changed: map[spawn.ID]chan struct{}{}, copies: map[spawn.ID]*replica{}, packed: map[string]wire.Object{}}
}

// Shared implements exchange.Exchange.
func (x *Exchange) Shared() bool { return false }

// Grant implements exchange.Exchange.
func (x *Exchange) Grant(ctx context.Context, id spawn.ID, grant ledger.Grant) error {
	data, err := json.Marshal(grant)
	if err != nil {
		return fmt.Errorf("grant attempt %s: %w", id, err)
	}
	if err := x.replace(ctx, kindGrant, id.String(), data); err != nil {
		return fmt.Errorf("grant attempt %s: %w", id, err)
	}
	x.tell(id)
	return nil
}

// Cancel asks the attempt's worker to end it, or not to begin.
func (x *Exchange) Cancel(ctx context.Context, id spawn.ID) error {
	err := x.insert(ctx, kindCancel, id.String(), []byte("{}"))
	if err != nil && !errors.Is(err, store.ErrStale) {
		return fmt.Errorf("cancel attempt %s: %w", id, err)
	}
	x.tell(id)
	return nil
}

// Changed is closed when this process hears of something new about an attempt. What another engine hears is found by
// looking.
func (x *Exchange) Changed(id spawn.ID) <-chan struct{} {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.changed[id] == nil {
		x.changed[id] = make(chan struct{})
	}
	return x.changed[id]
}

func (x *Exchange) tell(id spawn.ID) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.changed[id]; c != nil {
		close(c)
		delete(x.changed, id)
	}
}

// Forget implements exchange.Exchange. The offer goes first: from then on a worker is refused.
func (x *Exchange) Forget(ctx context.Context, id spawn.ID) error {
	prefix := id.Run + "/"
	if id.Attempt != "" {
		prefix = id.String()
	}
	kinds := []string{kindOffer, kindClaim, kindBeat, kindCancel, kindGrant, kindWant, kindStream, kindPart, kindSaved, kindEnd}
	if id.Attempt == "" {
		kinds = append(kinds, kindBase)
	}
	for _, kind := range kinds {
		if err := x.forget(ctx, kind, prefix, id); err != nil {
			return fmt.Errorf("forget what was exchanged with %s: %w", prefix, err)
		}
	}
	x.mu.Lock()
	delete(x.copies, id)
	x.mu.Unlock()
	x.tell(id)
	return nil
}

func (x *Exchange) forget(ctx context.Context, kind, prefix string, id spawn.ID) error {
	const batch = 100
	for after := ""; ; {
		list, err := x.Store.Documents(ctx, kind, prefix, after, batch)
		if err != nil {
			return err
		}
		for _, d := range list {
			after = d.Key
			if id.Attempt != "" && d.Key != prefix && d.Key[len(prefix)] != '/' {
				continue // of an attempt whose name only begins alike
			}
			if err := x.Store.DeleteDocument(ctx, kind, d.Key, d.Version); err != nil && !errors.Is(err, store.ErrStale) {
				return err
			}
		}
		if len(list) < batch {
			return nil
		}
	}
}

// document reads the document of an attempt into a value, and reports whether there is one.
func (x *Exchange) document(ctx context.Context, kind string, id spawn.ID, into any) (bool, error) {
	d, err := x.Store.Document(ctx, kind, id.String())
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if into == nil {
		return true, nil
	}
	return true, json.Unmarshal(d.Data, into)
}

// insert makes a document that must not exist yet: ErrStale if it does.
func (x *Exchange) insert(ctx context.Context, kind, key string, data []byte) error {
	_, err := x.Store.PutDocument(ctx, store.Document{Kind: kind, Key: key, Data: data})
	return err
}

// replace makes or changes a document, whoever else changes it.
func (x *Exchange) replace(ctx context.Context, kind, key string, data []byte) error {
	for {
		old, err := x.Store.Document(ctx, kind, key)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		_, err = x.Store.PutDocument(ctx, store.Document{Kind: kind, Key: key, Version: old.Version, Data: data})
		if !errors.Is(err, store.ErrStale) {
			return err
		}
	}
}

// Forgotten reports an attempt that was concluded and collected, or never offered: nobody waits for anything of it.
func (x *Exchange) Forgotten(ctx context.Context, id spawn.ID) (bool, error) {
	offered, err := x.document(ctx, kindOffer, id, nil)
	return err == nil && !offered, err
}

// claimed is an attempt that a worker has, and what it was offered.
type claimed struct {
	wire.Claim
	Offer wire.Offer `json:"offer"`
}

func (x *Exchange) claim(ctx context.Context, id spawn.ID) (claimed, bool, error) {
	var c claimed
	found, err := x.document(ctx, kindClaim, id, &c)
	return c, found, err
}

// offered is what the attempt's worker has, or would get now.
func (x *Exchange) offered(ctx context.Context, id spawn.ID) (wire.Offer, bool, error) {
	if claim, found, err := x.claim(ctx, id); err != nil || found {
		return claim.Offer, found, err
	}
	var o wire.Offer
	found, err := x.document(ctx, kindOffer, id, &o)
	return o, found, err
}
