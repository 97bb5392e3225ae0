package webhook

import "sync"

// Recent remembers which deliveries were taken: the newest of their keys. Its methods may be called at once.
type Recent struct {
	mu   sync.Mutex
	keys map[string]struct{}
	ring []string
	next int
}

// NewRecent makes an empty memory for size keys. Each delivery takes two keys.
func NewRecent(size int) *Recent {
	size = max(size, 2)
	return &Recent{keys: make(map[string]struct{}, size), ring: make([]string, size)}
}

// Remember keeps a key and reports whether it is new.
func (r *Recent) Remember(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.keys[key]; known {
		return false
	}
	delete(r.keys, r.ring[r.next])
	r.keys[key], r.ring[r.next] = struct{}{}, key
	r.next = (r.next + 1) % len(r.ring)
	return true
}
