package network

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// refuse answers what goes no further: by a page if somebody looks at it, else
// by a problem.
func refuse(w http.ResponseWriter, r *http.Request, p *api.Problem) {
	if strings.Contains(r.Header.Get("Accept"), "text/html") {
		refuseByPage(w, p)
		return
	}
	p.Write(w)
}

// refuseByPage says it to a person. The cockpit's scripts take it from the page as
// well.
func refuseByPage(w http.ResponseWriter, p *api.Problem) { page(w, p.Status, "refused.html", p) }

// refuseTo says it to somebody who was let in, in a browser or by a token.
func refuseTo(id access.Identity, w http.ResponseWriter, p *api.Problem) {
	if id.Session != "" {
		refuseByPage(w, p)
		return
	}
	p.Write(w)
}

// unsure is the problem of who cannot be told from a stranger at the moment. They
// are asked to come again, and not to sign in.
func (s *server) unsure(err error) *api.Problem {
	s.Log.Error("cannot find out who asks", "error", err)
	return api.NewProblem(http.StatusServiceUnavailable, "the engine cannot find out who you are at the moment", "try again; the engine's log says what is wrong")
}

// tooOften is the problem of an address that has to wait, and says for how long.
func tooOften(w http.ResponseWriter, wait time.Duration) *api.Problem {
	seconds := strconv.Itoa(int(wait.Seconds()) + 1)
	w.Header().Set("Retry-After", seconds)
	return api.NewProblem(http.StatusTooManyRequests, "too many failed attempts from this address", "wait "+seconds+" seconds, then try again")
}
