// Package roster has what engines that share a store say of themselves, for people: a document each, which an engine puts
// when it starts and removes when it ends. An engine that has its store to itself keeps it in memory. Nothing may be decided
// by it: who owns what, and who is alive, the store alone knows.
package roster

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// kind is that of the documents; the key is the engine's id.
const kind = "engine"

// forgotten is how long an engine that never came back is listed, and removed how long the store knows it.
const (
	forgotten = 7 * 24 * time.Hour
	removed   = 30 * 24 * time.Hour
)

// Entry is what an engine says of itself.
type Entry struct {
	Version string     `json:"version"`
	Since   time.Time  `json:"since"`              // by the database's clock
	URL     string     `json:"url,omitempty"`      // where the network reaches it
	Drains  *time.Time `json:"draining,omitempty"` // since when it gives its work to others
	Life    string     `json:"life,omitempty"`     // no other of the engine's has this name
	Uses
}

// Member is an engine, with what it says of itself: the zero Entry if it says nothing.
type Member struct {
	store.Member
	Entry
	Here bool // it is the one that lists
}

// Store is what a roster needs of one.
type Store interface {
	store.Documents
	Now(ctx context.Context) (time.Time, error)
	Engines(ctx context.Context) ([]store.Member, error)
	OwnerOf(ctx context.Context, project string) (store.Engine, error)
	Forget(ctx context.Context, silent time.Duration) ([]string, error)
}

// Options are what a roster works with.
type Options struct {
	Store   Store
	Engine  string // whose roster it is, by id
	Version string
	Uses    Uses
	Shared  bool // others work on the store
}

// Roster lists the engines of a store, and says there what one of them says of itself.
type Roster struct {
	Options
	mu      sync.Mutex
	entry   Entry
	version int64 // of the document; 0 for none
}

// New makes a roster.
func New(o Options) *Roster { return &Roster{Options: o} }

// Enter says that the engine has started, which it does after it has enlisted. What it said in an earlier life is replaced.
func (r *Roster) Enter(ctx context.Context) error {
	now, err := r.Store.Now(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entry = Entry{Version: r.Version, Since: now, Life: rand.Text(), Uses: r.Uses}
	if !r.Shared {
		return nil
	}
	for {
		was, err := r.Store.Document(ctx, kind, r.Engine)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err := r.put(ctx, was.Version); !errors.Is(err, store.ErrStale) {
			return err
		}
	}
}

// Reached says where the network reaches the engine.
func (r *Roster) Reached(ctx context.Context, url string) error {
	return r.change(ctx, func(e *Entry) { e.URL = url })
}

// Draining says that the engine gives its work to others.
func (r *Roster) Draining(ctx context.Context) error {
	now, err := r.Store.Now(ctx)
	if err != nil {
		return err
	}
	return r.change(ctx, func(e *Entry) { e.Drains = &now })
}

// Drains reports since when the engine has been giving its work to others; nil if it does not.
func (r *Roster) Drains() *time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.entry.Drains
}

// change alters what the engine says. If another life of it has begun meanwhile, in a copy of its state folder, that one
// speaks for it.
func (r *Roster) change(ctx context.Context, how func(*Entry)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	how(&r.entry)
	if r.version == 0 {
		return nil
	}
	err := r.put(ctx, r.version)
	if !errors.Is(err, store.ErrStale) {
		return err
	}
	version, err := r.own(ctx)
	if err != nil {
		return err
	}
	if r.version = version; version == 0 {
		return nil
	}
	return r.put(ctx, version)
}

// own is the version of what this life of the engine said last, even if the answer to that was lost; 0 if another life has begun.
func (r *Roster) own(ctx context.Context) (int64, error) {
	said, err := document.Read[Entry](ctx, r.Store, kind, r.Engine)
	if errors.Is(err, store.ErrNotFound) || err == nil && said.Value.Life != r.entry.Life {
		return 0, nil
	}
	return said.Version, err
}

// put writes the document. r.mu is held.
func (r *Roster) put(ctx context.Context, version int64) error {
	d, err := document.Make(kind, r.Engine, version, r.entry)
	if err == nil {
		d, err = r.Store.PutDocument(ctx, d)
	}
	if err == nil {
		r.version = d.Version
	}
	return err
}

// Leave says that the engine ends.
func (r *Roster) Leave(ctx context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.version == 0 {
		return nil
	}
	version, err := r.own(ctx)
	if err != nil {
		return err
	}
	if r.version = 0; version == 0 {
		return nil
	}
	return document.Remove(ctx, r.Store, kind, r.Engine, version)
}

// List is every engine that is alive or has not said that it ended, by host. Who never shared a store sees itself alone.
func (r *Roster) List(ctx context.Context) ([]Member, error) {
	engines, err := r.Store.Engines(ctx)
	if err != nil {
		return nil, err
	}
	entries, err := r.entries(ctx)
	if err != nil {
		return nil, err
	}
	var list []Member
	for _, e := range engines {
		entry, said := entries[e.ID]
		if here := e.ID == r.Engine; here || r.Shared && (said || e.Alive) {
			list = append(list, Member{e, entry, here})
		}
	}
	slices.SortStableFunc(list, func(a, b Member) int {
		return cmp.Or(strings.Compare(a.Host, b.Host), a.Since.Compare(b.Since))
	})
	return list, nil
}

// Owner is the engine that works on a project, with what it says of itself; ErrNotFound if none does. Every page of a run asks,
// so it takes no longer for other engines and projects.
func (r *Roster) Owner(ctx context.Context, project string) (store.Engine, Entry, error) {
	e, err := r.Store.OwnerOf(ctx, project)
	if err != nil {
		return e, Entry{}, err
	}
	r.mu.Lock()
	own := r.entry
	r.mu.Unlock()
	if e.ID == r.Engine || !r.Shared {
		return e, own, nil
	}
	said, err := document.Read[Entry](ctx, r.Store, kind, e.ID)
	if errors.Is(err, store.ErrNotFound) { // it has said nothing
		err = nil
	}
	return e, said.Value, err
}

// entries are what the engines say, by id. This one need not be asked.
func (r *Roster) entries(ctx context.Context) (map[string]Entry, error) {
	all := map[string]Entry{}
	if r.Shared {
		said, err := document.List[Entry](ctx, r.Store, kind, "")
		if err != nil {
			return nil, err
		}
		for _, s := range said {
			all[s.Key] = s.Value
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	all[r.Engine] = r.entry
	return all, nil
}

// sweepEvery is how often engines are forgotten that ended long ago without saying so.
const sweepEvery = time.Hour

// KeepSwept sweeps until ctx ends.
func (r *Roster) KeepSwept(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(sweepEvery)
	defer tick.Stop()
	for {
		if err := r.Sweep(ctx); err != nil && ctx.Err() == nil {
			log.Warn("engines that ended long ago are still listed", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Sweep forgets engines that ended long ago without saying so, such as those of machines that are gone. What they said is
// read first: an engine that is back has a lease before it speaks.
func (r *Roster) Sweep(ctx context.Context) error {
	if !r.Shared {
		return nil
	}
	if _, err := r.Store.Forget(ctx, removed); err != nil {
		return err
	}
	said, err := r.Store.Documents(ctx, kind, "", "", 0)
	if err != nil {
		return err
	}
	now, err := r.Store.Now(ctx)
	if err != nil {
		return err
	}
	engines, err := r.Store.Engines(ctx)
	if err != nil {
		return err
	}
	listed := map[string]bool{}
	for _, e := range engines {
		listed[e.ID] = e.Alive || now.Sub(e.Until) < forgotten
	}
	var errs []error
	for _, d := range said {
		if !listed[d.Key] && d.Key != r.Engine {
			errs = append(errs, document.Remove(ctx, r.Store, kind, d.Key, d.Version))
		}
	}
	return errors.Join(errs...)
}
