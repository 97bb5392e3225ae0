package cockpit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// maxOnce is how many sent forms are remembered.
const maxOnce = 1024

// once keeps a form from starting something twice: by a double click, or because
// somebody sends it again when the answer got lost. Each time a form is shown it has a
// new key. The same key with the same words of the same person is the same request.
type once struct {
	mu          sync.Mutex
	submissions map[string]*submission
	order       []string // of the keys, the oldest first
}

// submission is a form that was sent.
type submission struct {
	turn  chan struct{} // holds one while somebody acts on it
	run   *api.Run      // that came of it; guarded by turn
	users int           // requests that act or wait
	kept  bool          // it was carried out
}

// do acts, unless it was done already; then it gives what came of it. What failed
// can be tried again.
func (o *once) do(r *http.Request, act func(context.Context) (api.Run, error)) (api.Run, error) {
	if r.PostForm.Get("once") == "" {
		return act(r.Context())
	}
	key, did := submissionKey(r), false
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

func (o *once) enter(key string) *submission {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.submissions == nil {
		o.submissions = map[string]*submission{}
	}
	if o.submissions[key] == nil {
		o.submissions[key] = &submission{turn: make(chan struct{}, 1)}
	}
	o.submissions[key].users++
	return o.submissions[key]
}

// leave keeps a submission that was carried out, for as long as there is room.
func (o *once) leave(key string, w *submission, did bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if w.users--; did {
		w.kept = true
		o.order = append(o.order, key)
	}
	if w.users == 0 && !w.kept {
		delete(o.submissions, key)
	}
	if len(o.order) > maxOnce {
		delete(o.submissions, o.order[0])
		o.order = o.order[1:]
	}
}

func submissionKey(r *http.Request) string {
	form := r.PostForm.Encode()
	sum := sha256.Sum256([]byte(api.CallerFrom(r.Context()).Actor.ID + "\n" + r.URL.Path + "\n" + form))
	return hex.EncodeToString(sum[:])
}
