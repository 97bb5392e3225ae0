package dispatch

import (
	"sync"
	"time"
)

// rememberedFor is how long one search of the file system serves. A process that
// runs longer does not hear of newer files either, so a short while takes nothing
// away; a search before every check would cost a run many times its length.
const rememberedFor = 30 * time.Second

// remembered is what a search found, kept for a while.
type remembered[T any] struct {
	search func() T

	mu    sync.Mutex
	found T
	until time.Time
}

// get is what the last search found, or a new one if that is too long ago.
func (r *remembered[T]) get() T {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !time.Now().Before(r.until) {
		r.look()
	}
	return r.found
}

// renew searches now.
func (r *remembered[T]) renew() T {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.look()
	return r.found
}

func (r *remembered[T]) look() { r.found, r.until = r.search(), time.Now().Add(rememberedFor) }
