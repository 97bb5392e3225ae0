package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/exchange/wire"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// bodyTime is how long a worker may take to send a body, and to take a piece of an answer.
const bodyTime = time.Minute

// refusal is an answer that says why a worker gets nothing.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string { return r.reason }

func refuse(status int, format string, args ...any) error {
	return &refusal{status, fmt.Sprintf(format, args...)}
}

// request is one request of a worker that is known.
type request struct {
	*http.Request
	id   spawn.ID
	name string // what follows the route
	w    http.ResponseWriter
}

// routes are what a worker can ask for.
type routes map[string]func(request) (any, error)

// protocols are the routes of each protocol that this engine speaks: the current one, and the two before it. A new protocol
// is a line here, with what it changes put over the routes of the one before, and the oldest line goes.
func (x *Exchange) protocols() map[int]routes {
	return map[int]routes{
		1: {
			"GET " + wire.PathObject + "{name}":  x.getObject,
			"POST " + wire.PathClaim:             x.postClaim,
			"GET " + wire.PathWord:               x.getWord,
			"POST " + wire.PathStream + "{name}": x.postChunk,
			"PUT " + wire.PathWant:               x.putWant,
			"HEAD " + wire.PathPart + "{name}":   x.headPart,
			"PUT " + wire.PathPart + "{name}":    x.putPart,
			"PUT " + wire.PathSaved:              x.putSaved,
			"POST " + wire.PathEnd:               x.postEnd,
		},
	}
}

// Handler serves workers. Authenticate tells whose token a request shows. Tools, if not nil, serves the attempts' tools,
// which have tokens of their own.
func (x *Exchange) Handler(authenticate func(token string) (spawn.ID, bool), tools http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle(wire.Prefix, x.versions(x.protocols(), authenticate))
	if tools != nil {
		mux.Handle(wire.PathTools+"/", http.StripPrefix(wire.PathTools, tools))
	}
	return mux
}

// versions leads each request to the routes of the protocol that it names.
func (x *Exchange) versions(protocols map[int]routes, authenticate func(string) (spawn.ID, bool)) http.Handler {
	spoken := slices.Sorted(maps.Keys(protocols))
	muxes := map[int]*http.ServeMux{}
	for proto, all := range protocols {
		muxes[proto] = http.NewServeMux()
		for route, serve := range all {
			muxes[proto].Handle(route, x.serve(authenticate, serve))
		}
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		proto, err := wire.CheckProto(r.Header.Get(wire.Header), spoken[0], spoken[len(spoken)-1])
		if err != nil {
			http.Error(w, err.Error(), http.StatusUpgradeRequired)
			return
		}
		muxes[proto].ServeHTTP(w, r)
	})
}

// serve lets in who shows the token of an attempt.
func (x *Exchange) serve(authenticate func(string) (spawn.ID, bool), next func(request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		id, known := authenticate(strings.TrimSpace(token))
		var answer any
		err := refuse(http.StatusUnauthorized, "the token of this request is no worker's")
		if known && strings.EqualFold(scheme, "bearer") {
			req := request{Request: r, id: id, name: r.PathValue("name"), w: w}
			if answer, err = next(req); err == nil && r.Method != http.MethodGet && r.Method != http.MethodHead {
				err = x.late(req)
			}
		}
		x.answer(w, r, answer, err)
	})
}

func (x *Exchange) answer(w http.ResponseWriter, r *http.Request, answer any, err error) {
	var refused *refusal
	switch {
	case errors.As(err, &refused):
		http.Error(w, refused.reason, refused.status)
	case err != nil:
		if r.Context().Err() == nil {
			x.Log.Error("a worker was not served", "path", r.URL.Path, "error", err)
		}
		http.Error(w, "the engine could not do that; try again", http.StatusServiceUnavailable)
	case answer != nil:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // the worker is gone, and asks again
	}
}

// body reads the whole body of a request, within bounds of size and time.
func (r request) body(most int64) ([]byte, error) {
	conn := http.NewResponseController(r.w)
	if err := conn.SetReadDeadline(time.Now().Add(bodyTime)); err != nil {
		return nil, fmt.Errorf("bound the time of a request: %w", err)
	}
	data, err := io.ReadAll(http.MaxBytesReader(r.w, r.Body, most))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return nil, refuse(http.StatusRequestEntityTooLarge, "a body of this kind has at most %d bytes", most)
	}
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "the body broke off: %v", err)
	}
	return data, conn.SetReadDeadline(time.Time{})
}

// message reads a body of JSON.
func (r request) message(into any) error {
	data, err := r.body(wire.MaxMessage)
	if err != nil {
		return err
	}
	if err := strictjson.Unmarshal(data, into); err != nil {
		return refuse(http.StatusBadRequest, "the message cannot be read: %v", err)
	}
	return nil
}

var errGone = refuse(http.StatusGone, "the attempt is over or was given up; nothing more of it is taken")

// live refuses what comes of an attempt that is over, or that the request's worker has not claimed.
func (x *Exchange) live(ctx context.Context, r request) error {
	if offered, err := x.document(ctx, kindOffer, r.id, nil); err != nil || !offered {
		return errors.Join(err, orNil(err == nil, errGone))
	}
	if ended, err := x.document(ctx, kindEnd, r.id, nil); err != nil || ended {
		return errors.Join(err, orNil(err == nil, errGone))
	}
	return x.own(ctx, r)
}

// own refuses a worker that has not claimed the attempt.
func (x *Exchange) own(ctx context.Context, r request) error {
	claim, found, err := x.claim(ctx, r.id)
	if err != nil {
		return err
	}
	if !found || claim.Worker != r.Header.Get(wire.WorkerHeader) {
		return refuse(http.StatusConflict, "the attempt is another worker's")
	}
	return nil
}

// late removes what a request left, in the store and in memory, of an attempt that was forgotten meanwhile. Forgetting begins
// with the offer: whoever puts something that it no longer finds sees no offer afterwards.
func (x *Exchange) late(r request) error {
	ctx := context.WithoutCancel(r.Context()) // a worker that hangs up does not leave it behind
	if offered, err := x.document(ctx, kindOffer, r.id, nil); err != nil || offered {
		return err
	}
	return x.Forget(ctx, r.id)
}

func orNil(when bool, err error) error {
	if when {
		return err
	}
	return nil
}
