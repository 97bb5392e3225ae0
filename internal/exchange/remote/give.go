package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// getObject gives out an object of what the worker was offered when it claimed the attempt, and no other.
func (x *Exchange) getObject(r request) (any, error) {
	if err := x.live(r.Context(), r); err != nil {
		return nil, err
	}
	claim, _, err := x.claim(r.Context(), r.id)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(claim.Offer.Objects(), func(o wire.Object) bool { return o.Digest == r.name }) {
		return nil, refuse(http.StatusNotFound, "the attempt was offered no such object")
	}
	object, err := x.Objects.Open(r.Context(), r.name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = object.Close() }() // only read from
	r.w.Header().Set("Content-Type", "application/octet-stream")
	if _, err := io.Copy(patient{r.w, http.NewResponseController(r.w)}, object); err != nil {
		panic(http.ErrAbortHandler) // the worker sees that the answer is not whole
	}
	return nil, nil //nolint:nilnil // it is answered
}

// patient gives each piece of an answer its time.
type patient struct {
	io.Writer
	conn *http.ResponseController
}

func (p patient) Write(data []byte) (int, error) {
	if err := p.conn.SetWriteDeadline(time.Now().Add(bodyTime)); err != nil {
		return 0, fmt.Errorf("bound the time of an answer: %w", err)
	}
	return p.Writer.Write(data)
}

// postClaim gives the attempt to one worker, once and for all, with what is on offer at that moment. The same worker may ask
// again.
func (x *Exchange) postClaim(r request) (any, error) {
	var claim wire.Claim
	if err := r.message(&claim); err != nil {
		return nil, err
	}
	const most = 200
	if claim.Worker == "" || len(claim.Worker) > most || claim.Worker != r.Header.Get(wire.WorkerHeader) {
		return nil, refuse(http.StatusBadRequest, "a worker claims an attempt by its own name of at most %d bytes", most)
	}
	var offer wire.Offer
	if offered, err := x.document(r.Context(), kindOffer, r.id, &offer); err != nil || !offered {
		return nil, errors.Join(err, orNil(err == nil, errGone))
	}
	data, err := json.Marshal(claimed{claim, offer})
	if err != nil {
		return nil, err
	}
	err = x.insert(r.Context(), kindClaim, r.id.String(), data)
	if errors.Is(err, store.ErrStale) {
		if err := x.own(r.Context(), r); err != nil {
			return nil, err
		}
		before, _, err := x.claim(r.Context(), r.id)
		if err != nil {
			return nil, err
		}
		return x.begin(r, before.Offer)
	}
	if err != nil {
		return nil, err
	}
	x.tell(r.id)
	return x.begin(r, offer)
}

// begin is what the worker that has the attempt begins with.
func (x *Exchange) begin(r request, offer wire.Offer) (any, error) {
	word, err := x.word(r.Context(), r)
	if err != nil {
		return nil, err
	}
	start := wire.Start{Attempt: wire.Attempt(r.id), Offer: offer, Word: word, Small: map[string][]byte{}}
	for _, o := range offer.Objects() {
		if o.Size > wire.MaxSmall {
			continue
		}
		if start.Small[o.Digest], err = x.readObject(r.Context(), o); err != nil {
			return nil, err
		}
	}
	return start, nil
}

// readObject reads a whole object.
func (x *Exchange) readObject(ctx context.Context, o wire.Object) ([]byte, error) {
	object, err := x.Objects.Open(ctx, o.Digest)
	if err != nil {
		return nil, err
	}
	defer func() { _ = object.Close() }() // only read from
	return io.ReadAll(io.LimitReader(object, o.Size))
}

// getWord says what the worker has to know, when it is something else than it knows already, or after a while. It is also
// how a worker says that it lives.
func (x *Exchange) getWord(r request) (any, error) {
	if err := x.beat(r.Context(), r); err != nil {
		return nil, err
	}
	const share = 4 // of the silence that is taken for death
	over := time.NewTimer(x.Silence / share)
	defer over.Stop()
	tick := time.NewTicker(look)
	defer tick.Stop()
	for {
		changed := x.Changed(r.id)
		if err := x.live(r.Context(), r); err != nil {
			if failed := x.late(r); failed != nil {
				return nil, failed
			}
			return nil, err
		}
		word, err := x.word(r.Context(), r)
		if err != nil || word.Seq != r.URL.Query().Get("after") {
			return word, err
		}
		select {
		case <-r.Context().Done():
			return nil, r.Context().Err()
		case <-over.C:
			return word, nil
		case <-changed:
		case <-tick.C:
		}
	}
}

func (x *Exchange) word(ctx context.Context, r request) (wire.Word, error) {
	var word wire.Word
	var err error
	if word.Cancel, err = x.document(ctx, kindCancel, r.id, nil); err != nil {
		return word, err
	}
	grant, err := x.Store.Document(ctx, kindGrant, r.id.String())
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return word, err
	}
	word.Grant, word.Seq = grant.Data, fmt.Sprintf("%t-%d", word.Cancel, grant.Version)
	return word, nil
}

// beat notes that the worker lives. It is noted by the store's clock.
func (x *Exchange) beat(ctx context.Context, r request) error {
	if err := x.live(ctx, r); err != nil {
		return err
	}
	return x.replace(ctx, kindBeat, r.id.String(), []byte("{}"))
}
