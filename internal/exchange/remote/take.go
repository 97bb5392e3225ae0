package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/ledger"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// postChunk takes the next piece of a stream. The request names where it begins and where the piece before it began, so that
// neither a gap nor a second version of a piece gets in; the same piece may come again.
func (x *Exchange) postChunk(r request) (any, error) {
	offset, offsetErr := strconv.ParseInt(r.URL.Query().Get("offset"), 10, 64)
	previous, previousErr := strconv.ParseInt(r.URL.Query().Get("previous"), 10, 64)
	if errors.Join(offsetErr, previousErr) != nil || offset < 0 || previous > offset || !slices.Contains(wire.Streams(), r.name) {
		return nil, refuse(http.StatusBadRequest, "a piece of a stream needs a name that is known, its offset and the offset of the piece before")
	}
	data, err := r.body(wire.MaxChunk)
	if err != nil {
		return nil, err
	}
	if err := x.live(r.Context(), r); err != nil {
		return nil, err
	}
	if len(data) == 0 || offset+int64(len(data)) > wire.MaxStream {
		return nil, refuse(http.StatusRequestEntityTooLarge, "a stream has at most %d bytes, and no piece is empty", wire.MaxStream)
	}
	if offset > 0 {
		before, err := x.Store.Document(r.Context(), kindStream, chunkKey(r.id, r.name, previous))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err != nil || previous+int64(len(before.Data)) != offset {
			return nil, refuse(http.StatusConflict, "%s has no piece that ends at byte %d", r.name, offset)
		}
	}
	key := chunkKey(r.id, r.name, offset)
	err = x.insert(r.Context(), kindStream, key, data)
	if errors.Is(err, store.ErrStale) {
		kept, err := x.Store.Document(r.Context(), kindStream, key)
		if err == nil && !bytes.Equal(kept.Data, data) {
			err = refuse(http.StatusConflict, "another piece of %s begins at byte %d", r.name, offset)
		}
		return nil, err
	}
	if err == nil {
		x.tell(r.id)
	}
	return nil, err
}

// putWant takes what the attempt's broker asks for.
func (x *Exchange) putWant(r request) (any, error) {
	var want ledger.Want
	if err := r.message(&want); err != nil {
		return nil, err
	}
	if err := x.live(r.Context(), r); err != nil {
		return nil, err
	}
	data, err := json.Marshal(want)
	if err == nil {
		err = x.replace(r.Context(), kindWant, r.id.String(), data)
	}
	x.tell(r.id)
	return nil, err
}

// parts are the pieces of files that an attempt has handed in, by digest.
type parts map[string]int64

func (p parts) total() int64 {
	var sum int64
	for _, size := range p {
		sum += size
	}
	return sum
}

func (x *Exchange) parts(ctx context.Context, r request) (parts, int64, error) {
	known := parts{}
	d, err := x.Store.Document(ctx, kindPart, r.id.String())
	if errors.Is(err, store.ErrNotFound) {
		return known, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	return known, d.Version, json.Unmarshal(d.Data, &known)
}

// headPart tells whether a part of a file has arrived already.
func (x *Exchange) headPart(r request) (any, error) {
	if err := x.live(r.Context(), r); err != nil {
		return nil, err
	}
	known, _, err := x.parts(r.Context(), r)
	if err != nil {
		return nil, err
	}
	if _, there := known[r.name]; !there {
		return nil, refuse(http.StatusNotFound, "it has not arrived")
	}
	return nil, nil //nolint:nilnil // it has
}

// putPart takes a part of a file.
func (x *Exchange) putPart(r request) (any, error) {
	data, err := r.body(wire.MaxPart)
	if err != nil {
		return nil, err
	}
	if err := x.live(r.Context(), r); err != nil {
		return nil, err
	}
	if wire.Digest(data) != r.name {
		return nil, refuse(http.StatusBadRequest, "the part is not what its digest says")
	}
	for {
		known, version, err := x.parts(r.Context(), r)
		if err != nil {
			return nil, err
		}
		if _, there := known[r.name]; there {
			return nil, nil //nolint:nilnil // it came before
		}
		if known[r.name] = int64(len(data)); known.total() > wire.MaxHandedIn {
			return nil, refuse(http.StatusRequestEntityTooLarge, "an attempt hands in at most %d bytes", int64(wire.MaxHandedIn))
		}
		if _, _, err := x.Objects.Put(r.Context(), bytes.NewReader(data), wire.MaxPart); err != nil {
			return nil, err
		}
		list, err := json.Marshal(known)
		if err != nil {
			return nil, err
		}
		_, err = x.Store.PutDocument(r.Context(), store.Document{Kind: kindPart, Key: r.id.String(), Version: version, Data: list})
		if !errors.Is(err, store.ErrStale) {
			return nil, err
		}
	}
}

// postEnd takes how the attempt ended, last: everything that it names has arrived.
func (x *Exchange) postEnd(r request) (any, error) {
	var end wire.End
	if err := r.message(&end); err != nil {
		return nil, err
	}
	data, err := json.Marshal(end)
	if err != nil {
		return nil, err
	}
	if err := x.live(r.Context(), r); errors.Is(err, errGone) {
		kept, readErr := x.Store.Document(r.Context(), kindEnd, r.id.String())
		if readErr == nil && bytes.Equal(kept.Data, data) {
			return nil, nil //nolint:nilnil // its acknowledgement was lost
		}
		return nil, err
	} else if err != nil {
		return nil, err
	}
	if err := x.complete(r.Context(), r, end); err != nil {
		return nil, err
	}
	err = x.insert(r.Context(), kindEnd, r.id.String(), data)
	if errors.Is(err, store.ErrStale) {
		return nil, errGone
	}
	x.tell(r.id)
	return nil, err
}
