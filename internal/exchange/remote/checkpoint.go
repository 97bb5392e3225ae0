package remote

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// putSaved takes a checkpoint in the place of the one before, whose parts are given up: each could be as large as a delivery.
func (x *Exchange) putSaved(r request) (any, error) {
	var saved wire.End
	if err := r.message(&saved); err != nil {
		return nil, err
	}
	if err := x.live(r.Context(), r); err != nil {
		return nil, err
	}
	data, err := json.Marshal(saved)
	if err != nil {
		return nil, err
	}
	for {
		known, version, err := x.parts(r.Context(), r)
		if err != nil {
			return nil, err
		}
		if err := x.complete(r.Context(), r, saved); err != nil {
			return nil, err
		}
		before, err := x.Store.Document(r.Context(), kindSaved, r.id.String())
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		_, err = x.Store.PutDocument(r.Context(), store.Document{Kind: kindSaved, Key: r.id.String(), Version: before.Version, Data: data})
		if errors.Is(err, store.ErrStale) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return nil, x.trim(r.Context(), r, known, version, before.Data, saved)
	}
}

// trim takes from the list of parts those that only the checkpoint before named. A checkpoint may come late, when the delivery
// is being handed in: the delivery's parts stay, and if the list has changed meanwhile nothing is taken from it.
func (x *Exchange) trim(ctx context.Context, r request, known parts, version int64, before []byte, saved wire.End) error {
	if len(before) == 0 {
		return nil
	}
	var last wire.End
	if err := json.Unmarshal(before, &last); err != nil {
		return err
	}
	still, had := named(saved), len(known)
	for digest := range named(last) {
		if _, there := still[digest]; !there {
			delete(known, digest)
		}
	}
	if len(known) == had {
		return nil
	}
	list, err := json.Marshal(known)
	if err != nil {
		return err
	}
	_, err = x.Store.PutDocument(ctx, store.Document{Kind: kindPart, Key: r.id.String(), Version: version, Data: list})
	if errors.Is(err, store.ErrStale) {
		return nil
	}
	return err
}

// named are the parts of an end's files.
func named(end wire.End) parts {
	all := parts{}
	for _, file := range end.Files {
		for _, part := range file.Parts {
			all[part.Digest] = part.Size
		}
	}
	return all
}
