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

// counting bounds how long the engine may take to list what waits.
const counting = time.Minute

// count remembers how much waits for a person, for as long as nothing moves.
type count struct {
	asks singleflight.Group // by position

	mu sync.Mutex
	at string
	n  int
}

// waiting is how much waits for a person. When something has moved, it is counted once
// for all who ask; a caller that goes away neither waits for it nor ends it for the
// others. If it cannot be counted, the page itself says what is wrong.
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

// live streams to a browser what moves on after its page was made. After a lost
// connection it continues where it stopped.
func (c *cockpit) live(w http.ResponseWriter, r *http.Request) {
	since := r.Header.Get("Last-Event-ID")
	if since == "" {
		since = r.URL.Query().Get("since")
	}
	api.ServeWatch(r.Context(), c.svc, since, w)
}

// count answers how much waits for a person, and nothing else: every open page asks
// for it whenever anything moves.
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
