package network

import (
	"fmt"
	"net/http"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// How many requests are served at once. Streams are requests that last: a token
// that got into the wrong hands, or a program that forgets to hang up, must not
// take the places of everybody else.
const (
	maxEach  = 256 // of one person
	reserved = 128 // of all places, for those who have few
	few      = 8
)

// crowd is who is being served.
type crowd struct {
	mu  sync.Mutex
	all int
	of  map[string]int // by token; the owner's browsers have none
}

// enter takes a request in, or says why not and what to do.
func (c *crowd) enter(id access.Identity) (leave func(), detail, hint string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch mine := c.of[id.Token]; {
	case mine >= maxEach:
		return nil, fmt.Sprintf("%.80[2]s has %[1]d open requests, which is the limit", mine, id.Name),
			"close pages and end programs that follow runs, or use a token for each program"
	case c.all >= maxConnections-reserved && mine >= few:
		return nil, fmt.Sprintf("the engine serves %d requests already and reserves the rest for people with few", c.all),
			"close pages and end programs that follow runs, or try again later"
	}
	c.all++
	c.of[id.Token]++
	return func() { c.leave(id.Token) }, "", ""
}

func (c *crowd) leave(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.of[token]--; c.of[token] == 0 {
		delete(c.of, token)
	}
}

// admit serves a request in somebody's name, for as long as they are let in.
func (s *server) admit(w http.ResponseWriter, r *http.Request, id access.Identity, next http.Handler) {
	leave, detail, hint := s.crowd.enter(id)
	if leave == nil {
		s.Log.Warn("too many requests at once: "+detail, "name", id.Name)
		refuseTo(id, w, api.NewProblem(http.StatusTooManyRequests, detail, hint))
		return
	}
	defer leave()
	defer s.listener.limiter.serve(r, id.Token)()
	ctx, release := s.Access.Hold(r.Context(), id)
	defer release()
	next.ServeHTTP(w, r.WithContext(api.WithCaller(ctx, id.Caller())))
}
