package cockpit

import (
	"net/http"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

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
