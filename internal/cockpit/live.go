package cockpit

import (
	"net/http"

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
