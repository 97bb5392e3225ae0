package backing

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
	"github.com/stellwerk-dev/stellwerk/internal/truth"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Moved is what a move did.
type Moved struct {
	From, To string // as people call them
	Objects  string // where they are now
	Aside    string // the database that was in the way in the state folder, because it had been moved elsewhere; "" for none
	// Before means that an earlier move had been cut short after its last step but one: all was there, and the state folder did
	// not know it.
	Before bool
	Report truth.Report
}

// Move moves the store of a state folder with its objects to another place, and has the folder remember that. No engine may run on the
// folder or on either store. Whatever cuts it short, repeating it begins again or ends it.
func Move(ctx context.Context, state statefolder.Folder, from, to Place, o truth.Options) (m Moved, err error) {
	lock, err := statefolder.Acquire(state)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	source, err := from.whole(ctx, state, toLeave)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, source.store.Close()) }()
	closure, err := source.Store.Closure(ctx)
	if err != nil {
		return m, err
	}
	m.From, m.To = source.Name, to.name(state)
	switch {
	case m.From == m.To:
		return m, core.Errorf(core.CodeInvalid, "the store of this state folder is %s already", m.To).WithHint("name another place to move it to")
	case closure.Reason == store.Filling, closure.Reason == store.Left && closure.Other != m.To:
		return m, closure.Refusal(source.Name)
	}
	if closure.Reason != store.Left {
		if err := stranded(ctx, source, m.To); err != nil {
			return m, err
		}
	}
	if !to.Shared() {
		if m.Aside, err = setAside(ctx, state); err != nil {
			return m, err
		}
	}
	target, err := to.whole(ctx, state, toFill)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, target.store.Close()) }()
	m.Objects = target.objects
	return m, m.between(ctx, state, source, target, closure, to, o)
}

// between moves everything, unless that was done before, and then has the state folder know it.
func (m *Moved) between(ctx context.Context, state statefolder.Folder, source, target whole, closure store.Closure, to Place, o truth.Options) error {
	id, err := settled(ctx, source, closure)
	if err != nil {
		return err
	}
	if m.Before, err = arrived(ctx, target, closure, id); err != nil {
		return err
	}
	if !m.Before {
		source.Store = elsewhere{source.Store, target.objects}
		if m.Report, err = truth.Move(ctx, source.Pair, target.Pair, o); err != nil {
			return err
		}
	}
	if to.Shared() {
		return to.note(state, id)
	}
	return forget(state)
}

// GiveUpMove opens a store again whose move was cut short.
func (p Place) GiveUpMove(ctx context.Context, state statefolder.Folder) (name string, err error) {
	lock, err := statefolder.Acquire(state)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	w, err := p.whole(ctx, state, toLeave)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, w.store.Close()) }()
	closure, err := w.Store.Closure(ctx)
	switch {
	case err != nil:
		return w.Name, err
	case closure.Reason == "":
		return w.Name, core.Errorf(core.CodeConflict, "%s is open: no move of it was cut short", w.Name)
	case closure.Reason != store.Leaving: // engines may work on the copy
		return w.Name, closure.Refusal(w.Name)
	}
	return w.Name, truth.Reopen(ctx, w.Pair)
}

// Source is the place of a state folder's store that is to be moved. Somebody who has named the new store in the environment already
// still means the database in the folder.
func Source(state statefolder.Folder, named, objects string, to Place) (Place, error) {
	p, err := Find(state, named, objects)
	if err != nil {
		return p, err
	}
	if p.noted.ID == "" && hasDatabase(state) {
		if named != "" && named != to.Store {
			return p, core.Errorf(core.CodeInvalid, "the state folder %s has a database of its own, so %s is not its store", state.Dir, nameOf(named)).
				WithHint("leave out --store and STELLWERK_STORE to move the folder's own, or choose another folder").Offer(core.Choice{Verb: core.VerbStateFolder})
		}
		p.Store = ""
	}
	return p, nil
}

// name is what the store is called that lies there.
func (p Place) name(state statefolder.Folder) string {
	if config.IsDatabase(p.Store) {
		return nameOf(p.Store)
	}
	return state.Database()
}

// settled has a store that is about to leave know what every store knows of itself, and returns its identity.
func settled(ctx context.Context, w whole, closure store.Closure) (id string, err error) {
	if closure != (store.Closure{}) { // nothing can be written any more, and it was settled before
		return known(ctx, w.store, documentID)
	}
	if _, err := once(ctx, w.store, documentObjects, w.objects); err != nil {
		return "", err
	}
	return once(ctx, w.store, documentID, rand.Text())
}

// arrived reports that a store has left for this target, where engines can work.
func arrived(ctx context.Context, target whole, closure store.Closure, id string) (bool, error) {
	if closure != (store.Closure{Reason: store.Left, Other: target.Name}) {
		return false, nil
	}
	now, err := target.Store.Closure(ctx)
	if err != nil || now != (store.Closure{}) {
		return false, err
	}
	there, err := known(ctx, target.store, documentID)
	return there == id && id != "", err
}

// stranded refuses to move a store under attempts at work: those that began with a state folder exchange files with it, those of a
// shared store speak to its engines.
func stranded(ctx context.Context, source whole, target string) error {
	if config.IsDatabase(source.Name) == config.IsDatabase(target) {
		return nil
	}
	slots, err := source.store.Slots(ctx, "")
	if err != nil {
		return err
	}
	n := 0
	for _, s := range slots {
		if s.Held {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return core.Errorf(core.CodeConflict, "%s at work, and could not hand in to %s", wording.Number(n, "attempt is", "attempts are"), target).
		WithHint("start an engine and let them end, or end them with `stellwerk pause --stop RUN`; then stop the engine and repeat the move")
}

// setAside renames the state folder's own database if another store took its place.
func setAside(ctx context.Context, state statefolder.Folder) (aside string, err error) {
	if !hasDatabase(state) {
		return "", nil
	}
	db, err := sqlite.Open(ctx, state.Database(), sqlite.Options{Closed: true})
	if err != nil {
		return "", err
	}
	c, err := db.Closure(ctx)
	if err = errors.Join(err, db.Close()); err != nil || c.Reason != store.Left {
		return "", err
	}
	aside = state.Database() + ".moved-" + time.Now().UTC().Format("20060102T150405.000000Z")
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(state.Database()+suffix, aside+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", core.Wrap(core.CodeUnavailable, err, fmt.Sprintf("the database that was moved away before cannot be set aside as %s", aside), "check that "+state.Dir+" can be written")
		}
	}
	return aside, nil
}

// elsewhere is a store as it will be when its objects are elsewhere: it says so itself.
type elsewhere struct {
	truth.Store
	objects string
}

func (e elsewhere) Export(ctx context.Context) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for r, err := range e.Store.Export(ctx) {
			if err == nil && r.Table.Name == store.TableDocuments && r.Text("kind") == about && r.Text("key") == documentObjects {
				r = r.With("data", []byte(e.objects))
			}
			if !yield(r, err) {
				return
			}
		}
	}
}
