package cockpit

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// counting is how long the engine may take to say what waits.
const counting = time.Minute

// count remembers how much waits for a person, for as long as nothing moves.
type count struct {
	mu    sync.Mutex
	at    string
	n     int
	under map[string]chan struct{} // positions for which it is being counted; closed when it was
}

// waiting is how much waits for a person. It is counted anew when something has
// moved, once for all who ask; who goes away does not wait for it, and does not end
// it for the others. Where it cannot be counted the page itself says what is wrong.
func (c *count) waiting(ctx context.Context, svc api.Service, at string) int {
	if counted := c.ask(ctx, svc, at); counted != nil {
		select {
		case <-counted:
		case <-ctx.Done():
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// ask has it counted for a position; nil where that was done.
func (c *count) ask(ctx context.Context, svc api.Service, at string) <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at == "" || at == c.at {
		return nil
	}
	if counted := c.under[at]; counted != nil {
		return counted
	}
	counted := make(chan struct{})
	if c.under == nil {
		c.under = map[string]chan struct{}{}
	}
	c.under[at] = counted
	go func() {
		defer close(counted)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), counting)
		defer cancel()
		list, err := svc.Inbox(ctx)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.under, at)
		if err == nil {
			c.at, c.n = at, len(list)
		}
	}()
	return counted
}

// live tells a browser what moves on, from where its page stands; after a break
// it goes on from where it was.
func (c *cockpit) live(w http.ResponseWriter, r *http.Request) {
	since := r.Header.Get("Last-Event-ID")
	if since == "" {
		since = r.URL.Query().Get("since")
	}
	api.ServeWatch(r.Context(), c.svc, since, w)
}

// count says how much waits for a person, and nothing else: it is asked for
// whenever anything moves, by pages that are not looked at as well.
func (c *cockpit) count(w http.ResponseWriter, r *http.Request) {
	at, err := c.svc.Position(r.Context())
	if err != nil {
		c.show(w, r, problemPage(err))
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	c.send(w, r, http.StatusOK, []byte(strconv.Itoa(c.inbox.waiting(r.Context(), c.svc, at))))
}
