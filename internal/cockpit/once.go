package cockpit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
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

// wish is what a form asked for.
type wish struct {
	turn  chan struct{} // holds one while somebody acts on it
	run   *api.Run      // what came of it; for who has the turn
	users int           // who act or wait
	kept  bool          // it came about
}

// do acts, unless it was done already; then it gives what came of it. What failed
// can be tried again.
func (o *once) do(r *http.Request, act func(context.Context) (api.Run, error)) (api.Run, error) {
	if r.PostForm.Get("once") == "" {
		return act(r.Context())
	}
	key, did := wishKey(r), false
	w := o.enter(key)
	defer func() { o.leave(key, w, did) }()
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-r.Context().Done():
		return api.Run{}, r.Context().Err()
	}
	if w.run != nil {
		return *w.run, nil
	}
	run, err := act(r.Context())
	if did = err == nil; did {
		w.run = &run
	}
	return run, err
}

func (o *once) enter(key string) *wish {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wishes == nil {
		o.wishes = map[string]*wish{}
	}
	if o.wishes[key] == nil {
		o.wishes[key] = &wish{turn: make(chan struct{}, 1)}
	}
	o.wishes[key].users++
	return o.wishes[key]
}

// leave keeps a wish that came about, for as long as there is room.
func (o *once) leave(key string, w *wish, did bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if w.users--; did {
		w.kept = true
		o.order = append(o.order, key)
	}
	if w.users == 0 && !w.kept {
		delete(o.wishes, key)
	}
	if len(o.order) > maxOnce {
		delete(o.wishes, o.order[0])
		o.order = o.order[1:]
	}
}

func wishKey(r *http.Request) string {
	form := r.PostForm.Encode()
	sum := sha256.Sum256([]byte(api.CallerFrom(r.Context()).Actor.ID + "\n" + r.URL.Path + "\n" + form))
	return hex.EncodeToString(sum[:])
}
