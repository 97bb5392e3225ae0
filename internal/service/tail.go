package service

import (
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// tails remembers where reading a transcript stopped: who reads on, page by
// page, does not make the engine read it from its beginning each time.
type tails struct {
	mu   sync.Mutex
	open map[place]*shim.Tailer
}

// place is a position in a transcript.
type place struct {
	path string
	from int64
}

// maxTails bounds what is remembered; forgetting costs only time.
const maxTails = 256

// next reads on from an entry's number.
func (t *tails) next(path string, from int64) ([]shim.Entry, error) {
	tailer := t.take(place{path, max(from, 1)})
	entries, err := tailer.Next()
	if err == nil {
		t.put(place{path, tailer.From()}, tailer)
	}
	return entries, err
}

func (t *tails) take(at place) *shim.Tailer {
	t.mu.Lock()
	defer t.mu.Unlock()
	tailer, ok := t.open[at]
	if !ok {
		return shim.NewFileTailer(at.path, at.from)
	}
	delete(t.open, at)
	return tailer
}

func (t *tails) put(at place, tailer *shim.Tailer) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open == nil || len(t.open) >= maxTails {
		t.open = map[place]*shim.Tailer{}
	}
	t.open[at] = tailer
}
