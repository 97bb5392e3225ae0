package cockpit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

const (
	kindForm   = store.FormKind
	formLife   = 24 * time.Hour        // how long what came of a form is remembered
	sweepEvery = time.Hour             // how often an engine forgets older ones
	askAgain   = 50 * time.Millisecond // whether the one who acts is done
	renewEvery = 2 * time.Second       // that somebody still acts
	lapse      = 5 * renewEvery        // who does not renew for so long is gone
	recording  = 10 * time.Second      // for what was done, also if nobody waits any more
)

// once keeps a form from starting something twice: by a double click, or because
// somebody sends it again when the answer got lost; also if another engine gets it.
// Each time a form is shown it has a new key. The same key with the same words of
// the same person is the same request. Without documents nothing is remembered.
type once struct {
	docs store.Documents
	log  *slog.Logger

	mu    sync.Mutex
	swept time.Time
}

// submission is a form that was sent: somebody acts on it, and renews it meanwhile,
// or it failed and nobody does, or it is done. An engine that stands still for longer
// than lapse may act although another has taken its claim: both would start the run of
// this id, and the store has one of an id.
type submission struct {
	ID   string  `json:"id,omitempty"` // of the run to start; none in forms of earlier versions
	Free bool    `json:"free,omitempty"`
	Done bool    `json:"done"`
	Run  api.Run `json:"run"` // that came of it
}

// do acts, unless it was done already; then it gives what came of it. What failed
// can be tried again. Whoever acts on the same form is given the same id for the run
// that it starts, "" for any.
func (o *once) do(r *http.Request, act func(ctx context.Context, id string) (api.Run, error)) (api.Run, error) {
	if r.PostForm.Get("once") == "" || o.docs == nil {
		return act(r.Context(), "")
	}
	key := submissionKey(r)
	claimed, id, done, err := o.claim(r.Context(), key)
	if err != nil || done != nil {
		return *orZero(done), err
	}
	release := o.renew(claimed)
	var run *api.Run
	defer func() { // also if acting breaks
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), recording)
		defer cancel()
		if err := o.conclude(ctx, release(), id, run); err != nil {
			o.log.Warn("what came of a form could not be kept", "error", err)
		}
	}()
	started, err := act(r.Context(), id)
	if err == nil {
		run = &started
	}
	return started, err
}

func orZero(run *api.Run) *api.Run {
	if run == nil {
		return &api.Run{}
	}
	return run
}

// claim waits until it is the one to act on a form, or somebody has. Who does not
// renew a claim is gone, and the next may have it; time is measured here, so that
// no two clocks are compared. The id is that of the form's first claim.
func (o *once) claim(ctx context.Context, key string) (mine store.Document, id string, done *api.Run, err error) {
	var version int64
	var since time.Time
	for {
		k, err := document.Read[submission](ctx, o.docs, kindForm, key)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return mine, "", nil, err
		}
		if k.Value.Done {
			return mine, "", &k.Value.Run, nil
		}
		if k.Version != version {
			version, since = k.Version, time.Now()
		}
		if version == 0 || k.Value.Free || time.Since(since) >= lapse {
			mine, id, err = o.take(ctx, k, key)
			if !errors.Is(err, store.ErrStale) {
				return mine, id, nil, err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return mine, "", nil, ctx.Err()
		case <-time.After(askAgain):
		}
	}
}

// take claims a form on which nobody acts.
func (o *once) take(ctx context.Context, k document.Kept[submission], key string) (mine store.Document, id string, err error) {
	if id = k.Value.ID; id == "" {
		made, err := uuid.NewV7()
		if err != nil {
			return mine, "", fmt.Errorf("make a run id: %w", err)
		}
		id = made.String()
	}
	mine, err = document.Make(kindForm, key, k.Version, submission{ID: id})
	if err == nil {
		mine, err = o.docs.PutDocument(ctx, mine)
	}
	return mine, id, err
}

// renew shows that somebody still acts, until the claim is released.
func (o *once) renew(claim store.Document) (release func() store.Document) {
	ctx, stop := context.WithCancel(context.Background())
	var renewing sync.WaitGroup
	renewing.Go(func() {
		every := time.NewTicker(renewEvery)
		defer every.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-every.C:
			}
			if next, err := o.docs.PutDocument(ctx, claim); err == nil {
				claim = next
			}
		}
	})
	return func() store.Document {
		stop()
		renewing.Wait()
		return claim
	}
}

// conclude keeps what came of a form, or lets somebody try again. If another has taken the
// claim, what that one does counts.
func (o *once) conclude(ctx context.Context, claim store.Document, id string, run *api.Run) error {
	came := submission{ID: id, Free: run == nil, Done: run != nil, Run: *orZero(run)}
	err := document.Put(ctx, o.docs, claim.Kind, claim.Key, claim.Version, came)
	if errors.Is(err, store.ErrStale) {
		err = nil
	}
	return errors.Join(err, o.sweep(ctx))
}

// sweep forgets what came of old forms, now and then.
func (o *once) sweep(ctx context.Context) error {
	o.mu.Lock()
	due := time.Since(o.swept) >= sweepEvery
	if due {
		o.swept = time.Now()
	}
	o.mu.Unlock()
	if !due {
		return nil
	}
	all, err := o.docs.Documents(ctx, kindForm, "", "", 0)
	for _, d := range all {
		if time.Since(d.At) > formLife {
			err = errors.Join(err, document.Remove(ctx, o.docs, kindForm, d.Key, d.Version))
		}
	}
	return err
}

func submissionKey(r *http.Request) string {
	form := r.PostForm.Encode()
	sum := sha256.Sum256([]byte(api.CallerFrom(r.Context()).Actor.ID + "\n" + r.URL.Path + "\n" + form))
	return hex.EncodeToString(sum[:])
}
