// Package document reads and changes documents of a store as values. It must not
// know any kind of them.
package document

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Kept is a value with the version in which it was read.
type Kept[T any] struct {
	Key     string
	Version int64
	At      time.Time // when it was put last, by the database's clock
	Value   T
}

// Read is one value; store.ErrNotFound if there is none.
func Read[T any](ctx context.Context, s store.Documents, kind, key string) (Kept[T], error) {
	d, err := s.Document(ctx, kind, key)
	if err != nil {
		return Kept[T]{}, err
	}
	return parse[T](d)
}

// List is every value of a kind whose key begins with prefix, by key.
func List[T any](ctx context.Context, s store.Documents, kind, prefix string) ([]Kept[T], error) {
	all, err := s.Documents(ctx, kind, prefix, "", 0)
	if err != nil {
		return nil, err
	}
	list := make([]Kept[T], len(all))
	for i, d := range all {
		if list[i], err = parse[T](d); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Make is the document to put for a value.
func Make(kind, key string, version int64, value any) (store.Document, error) {
	data, err := json.Marshal(value)
	if err != nil {
		return store.Document{}, fmt.Errorf("%s %s cannot be written: %w", kind, key, err)
	}
	return store.Document{Kind: kind, Key: key, Version: version, Data: data}, nil
}

// Put makes a value if version is 0, and otherwise replaces the one of that
// version; store.ErrStale if it moved.
func Put(ctx context.Context, s store.Documents, kind, key string, version int64, value any) error {
	d, err := Make(kind, key, version, value)
	if err == nil {
		_, err = s.PutDocument(ctx, d)
	}
	return err
}

// ErrKeep, returned by who is asked to change a value, leaves it as it is.
var ErrKeep = errors.New("nothing to change")

// Change lets change alter the value, the zero value if there is none, and puts
// it. If somebody else was faster, change is asked again about what they put. An
// error of change is returned and nothing is put; ErrKeep is none.
func Change[T any](ctx context.Context, s store.Documents, kind, key string, change func(*T) error) error {
	for {
		k, err := Read[T](ctx, s, kind, key)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		err = change(&k.Value)
		if errors.Is(err, ErrKeep) {
			return nil
		}
		if err == nil {
			err = Put(ctx, s, kind, key, k.Version, k.Value)
		}
		if !errors.Is(err, store.ErrStale) {
			return err
		}
	}
}

// Remove deletes a document if it still is the version that was read. What
// somebody else changed or deleted meanwhile is theirs.
func Remove(ctx context.Context, s store.Documents, kind, key string, version int64) error {
	err := s.DeleteDocument(ctx, kind, key, version)
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	return err
}

// Drop deletes a document whatever its version; one that is not there is no error.
func Drop(ctx context.Context, s store.Documents, kind, key string) error {
	for {
		d, err := s.Document(ctx, kind, key)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err == nil {
			err = s.DeleteDocument(ctx, kind, key, d.Version)
		}
		if !errors.Is(err, store.ErrStale) {
			return err
		}
	}
}

func parse[T any](d store.Document) (Kept[T], error) {
	k := Kept[T]{Key: d.Key, Version: d.Version, At: d.At}
	if err := json.Unmarshal(d.Data, &k.Value); err != nil {
		return k, fmt.Errorf("%s %s cannot be read: %w", d.Kind, d.Key, err)
	}
	return k, nil
}
