package cockpit

import (
	"context"
	"net/http"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// counting is how long the engine may take to say what waits.
const counting = time.Minute

// count remembers how much waits for a person, for as long as nothing moves.
type count struct {
	asks singleflight.Group // by position

	mu sync.Mutex
	at string
	n  int
}

// waiting is how much waits for a person. It is counted anew when something has
// moved, once for all who ask; who goes away does not wait for it, and does not end
// it for the others. Where it cannot be counted the page itself says what is wrong.
func (c *count) waiting(ctx context.Context, svc api.Service, at string) int {
	c.mu.Lock()
	known := at == "" || at == c.at
	c.mu.Unlock()
	if !known {
		counted := c.asks.DoChan(at, func() (any, error) {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), counting)
			defer cancel()
			list, err := svc.Inbox(ctx)
			c.mu.Lock()
			defer c.mu.Unlock()
			if err == nil {
				c.at, c.n = at, len(list)
			}
			return nil, err
		})
		select {
		case <-counted:
		case <-ctx.Done():
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
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
