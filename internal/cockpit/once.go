package cockpit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// maxOnce is how many forms are remembered that were sent.
const maxOnce = 1024

// once keeps what starts something from starting it twice: by a double press, or
// because somebody sent a form again whose answer never came. Each time a form is
// shown it has a key of its own. The same key with the same words, of the same
// person, is the same wish.
type once struct {
	mu     sync.Mutex
	wishes map[string]*wish
	order  []string // of the keys, the oldest first
}

// wish is what a form asked for. Its result is there when done is closed.
type wish struct {
	done chan struct{}
	run  api.Run
	err  error
}

// do acts, unless it was done already; then it gives what came of it. What failed
// can be tried again.
func (o *once) do(r *http.Request, act func(context.Context) (api.Run, error)) (api.Run, error) {
	if r.PostForm.Get("once") == "" {
		return act(r.Context())
	}
	key := wishKey(r)
	for {
		w, mine := o.enter(key)
		if mine {
			return o.fulfil(r.Context(), key, w, act)
		}
		select {
		case <-r.Context().Done():
			return api.Run{}, r.Context().Err()
		case <-w.done:
		}
		if w.err == nil {
			return w.run, nil
		}
	}
}

// errBroken is what came of a wish whose act did not return.
var errBroken = errors.New("it broke off")

// fulfil acts, and tells who waits for it, also where acting breaks off.
func (o *once) fulfil(ctx context.Context, key string, w *wish, act func(context.Context) (api.Run, error)) (api.Run, error) {
	w.err = errBroken
	defer o.leave(key, w)
	w.run, w.err = act(ctx)
	return w.run, w.err
}

// enter gives the wish of a key; mine where nobody has had it before.
func (o *once) enter(key string) (w *wish, mine bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if w, found := o.wishes[key]; found {
		return w, false
	}
	if o.wishes == nil {
		o.wishes = map[string]*wish{}
	}
	w = &wish{done: make(chan struct{})}
	o.wishes[key] = w
	if o.order = append(o.order, key); len(o.order) > maxOnce {
		delete(o.wishes, o.order[0])
		o.order = o.order[1:]
	}
	return w, true
}

func (o *once) leave(key string, w *wish) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if w.err != nil && o.wishes[key] == w {
		delete(o.wishes, key)
		o.order = slices.DeleteFunc(o.order, func(k string) bool { return k == key })
	}
	close(w.done)
}

func wishKey(r *http.Request) string {
	form := r.PostForm.Encode()
	sum := sha256.Sum256([]byte(api.CallerFrom(r.Context()).Actor.ID + "\n" + r.URL.Path + "\n" + form))
	return hex.EncodeToString(sum[:])
}
