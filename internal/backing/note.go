package backing

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"github.com/google/renameio/v2"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/statefolder"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// note is what a state folder knows of its store, so that commands find it and no engine begins with another by mistake.
type note struct {
	Address string `json:"address"` // without a password
	ID      string `json:"id"`      // of the store itself, whatever its address
}

func readNote(state statefolder.Folder) (n note, err error) {
	text, err := os.ReadFile(state.StoreNote())
	if errors.Is(err, fs.ErrNotExist) {
		return note{}, nil
	}
	if err == nil {
		err = strictjson.Unmarshal(text, &n)
	}
	if err != nil {
		return note{}, core.Wrap(core.CodeUnavailable, err, "the state folder does not say which store it belongs to", "check "+state.StoreNote())
	}
	return n, nil
}

// agree refuses a store that is not the one of the state folder, and has the folder note the one that is.
func (p Place) agree(ctx context.Context, state statefolder.Folder, s store.Store) error {
	id, err := once(ctx, s, documentID, rand.Text())
	if err == nil {
		err = p.same(state, id)
	}
	if err != nil {
		return err
	}
	return p.note(state, id)
}

// same refuses another store than the one of the state folder.
func (p Place) same(state statefolder.Folder, id string) error {
	if p.noted.ID == "" || p.noted.ID == id {
		return nil
	}
	return core.Errorf(core.CodeInvalid, "the state folder %s belongs to another database, %s", state.Dir, cmp.Or(p.noted.Address, "which its own was moved to")).
		WithHint("name that one with --store, or choose another folder").Offer(core.Choice{Verb: core.VerbStateFolder})
}

// note has the folder remember the store.
func (p Place) note(state statefolder.Folder, id string) error {
	text, err := json.Marshal(note{Address: config.WithoutPassword(p.Store), ID: id})
	if err == nil {
		err = renameio.WriteFile(state.StoreNote(), append(text, '\n'), 0o600)
	}
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the state folder cannot note its store", "check that "+state.Dir+" can be written")
	}
	return nil
}

// forget has the folder work with its own database again.
func forget(state statefolder.Folder) error {
	err := os.Remove(state.StoreNote())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return core.Wrap(core.CodeUnavailable, err, "the state folder cannot forget its former store", "check that "+state.Dir+" can be written")
	}
	return nil
}

// about are the documents that say something about the whole store.
const (
	about           = "store"
	documentID      = "id"
	documentObjects = "objects"
)

// known is a value that is kept with a store; "" for none.
func known(ctx context.Context, s store.Store, key string) (string, error) {
	d, err := s.Document(ctx, about, key)
	if errors.Is(err, store.ErrNotFound) {
		return "", nil
	}
	return string(d.Data), err
}

// once keeps a value with a store, if there is none yet, and returns the one that is kept: the first of several engines decides.
func once(ctx context.Context, s store.Store, key, value string) (string, error) {
	for {
		known, err := s.Document(ctx, about, key)
		if err == nil {
			return string(known.Data), nil
		}
		if !errors.Is(err, store.ErrNotFound) {
			return "", err
		}
		_, err = s.PutDocument(ctx, store.Document{Kind: about, Key: key, Data: []byte(value)})
		if err == nil || !errors.Is(err, store.ErrStale) {
			return value, err
		}
	}
}
