package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/exchange"
	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Offer implements exchange.Exchange.
func (x *Exchange) Offer(ctx context.Context, o exchange.Offer) error {
	claimed, err := x.document(ctx, kindClaim, o.ID, nil)
	if err != nil || claimed {
		return err
	}
	folder := x.Folder(o.ID)
	spec, err := shim.ReadSpec(folder)
	if err != nil {
		return err
	}
	paths, trees := map[string]string{folder: wire.Root}, map[string]string{"": folder}
	for _, place := range o.Places {
		if place.Path == "" {
			continue
		}
		paths[place.Path] = wire.Root
		if place.Name != "" {
			paths[place.Path] += "/" + place.Name
		}
		if slices.Contains(wire.Carried(), place.Name) {
			trees[place.Name] = place.Path
		}
	}
	var offer wire.Offer
	packed := make(chan error, 1)
	go func() {
		var err error
		offer.Parcel, err = x.put(ctx, func(w io.Writer) error { return wire.Pack(w, spec, trees, paths) })
		packed <- err
	}()
	if o.Base != "" {
		offer.Base, err = x.base(ctx, o)
	}
	if err = errors.Join(<-packed, err); err != nil {
		return fmt.Errorf("offer attempt %s what it begins with: %w", o.ID, err)
	}
	data, err := json.Marshal(offer)
	if err != nil {
		return fmt.Errorf("offer attempt %s: %w", o.ID, err)
	}
	if err := x.replace(ctx, kindOffer, o.String(), data); err != nil {
		return fmt.Errorf("offer attempt %s: %w", o.ID, err)
	}
	return nil
}

// base is the pack of the attempt's base, made once for all attempts of a run that begin with it.
func (x *Exchange) base(ctx context.Context, o exchange.Offer) (*wire.Base, error) {
	key, known := strings.Join(append([]string{o.Run + "/" + o.Base}, o.Also...), "+"), wire.Base{}
	d, err := x.Store.Document(ctx, kindBase, key)
	if err == nil {
		if err := json.Unmarshal(d.Data, &known); err != nil {
			return nil, err
		}
		if there, err := x.Objects.Open(ctx, known.Digest); err == nil {
			return &known, there.Close()
		}
	} else if !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	pack, err := x.pack(ctx, o)
	if err != nil {
		return nil, err
	}
	known = wire.Base{Object: pack, Commit: o.Base, Shallow: o.Shallow}
	data, err := json.Marshal(known)
	if err != nil {
		return nil, err
	}
	return &known, x.replace(ctx, kindBase, key, data)
}

// mostPacked is how many packs this engine remembers.
const mostPacked = 256

// pack is the pack of an attempt's base. Runs that begin with the same commits share one, as long as this engine remembers it: a
// commit is the same everywhere, and so is its history if it is cut off alike.
func (x *Exchange) pack(ctx context.Context, o exchange.Offer) (wire.Object, error) {
	key := strings.Join(append([]string{wire.Digest(o.Shallow), o.Base}, o.Also...), "+")
	x.mu.Lock()
	made, known := x.packed[key]
	x.mu.Unlock()
	if known {
		if there, err := x.Objects.Touch(ctx, made.Digest); err != nil || there { // so that it is not discarded before a document names it
			return made, err
		}
	}
	made, err := x.put(ctx, func(w io.Writer) error { return o.Pack(ctx, w) })
	if err != nil {
		return made, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.packed) >= mostPacked {
		clear(x.packed)
	}
	x.packed[key] = made
	return made, nil
}

// put keeps what write writes.
func (x *Exchange) put(ctx context.Context, write func(io.Writer) error) (wire.Object, error) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(write(w)) }()
	digest, size, err := x.Objects.Put(ctx, r, 0)
	_ = r.CloseWithError(err) // ends the writer if nobody reads on
	return wire.Object{Digest: digest, Size: size}, err
}
