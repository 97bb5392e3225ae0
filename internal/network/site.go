package network

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stellwerk-dev/stellwerk/internal/access"
	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Site is what is served. API and Cockpit find the caller in the request's
// context.
type Site struct {
	Access *access.Store
	Engine string       // the engine's name among those of a store
	API    http.Handler // below /v1, and /openapi.json
	// Exchange serves the workers of attempts, who show tokens of their own; nil for none.
	Exchange http.Handler
	// Cockpit has everything else. What is below /assets it serves to everybody.
	Cockpit  http.Handler
	Metrics  http.Handler                // nil if nothing is counted
	Document func() *huma.OpenAPI        // that /docs shows; asked once, when somebody wants to see it
	Ready    func(context.Context) error // why the engine cannot work
	SignedIn func(code string)           // a code was used
	Log      *slog.Logger
	Now      func() time.Time
}

// Guessing is slowed down: codes are short enough to be typed.
const (
	codeFailures  = 10
	codeSpan      = 10 * time.Minute
	tokenFailures = 30
	tokenSpan     = time.Minute
)

// server is a site on a listener.
type server struct {
	Site
	listener *Listener
	cookie   string
	codes    *limiter
	tokens   *limiter
	crowd    *crowd
}

// Serve answers requests until ctx ends. It closes the listener. Who signed in when
// the engine had another port has to do so again.
func Serve(ctx context.Context, l *Listener, site Site) error {
	if err := site.Access.Settle(ctx, site.Engine, l.cookieName()); err != nil {
		return errors.Join(err, l.Close())
	}
	return api.Serve(ctx, l, Handler(l, site))
}

// Handler is everything that a listener serves.
func Handler(l *Listener, site Site) http.Handler {
	s := &server{
		Site: site, listener: l, cookie: l.cookieName(), crowd: &crowd{of: map[string]int{}},
		codes: newLimiter(codeFailures, codeSpan, site.Now), tokens: newLimiter(tokenFailures, tokenSpan, site.Now),
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", s.byToken(jsonOnly(site.API)))
	if site.Exchange != nil {
		mux.Handle("/exchange/", site.Exchange)
	}
	mux.Handle("GET /openapi.json", s.byEither(site.API))
	mux.Handle("GET /docs", s.byEither(docs(site.Document)))
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle("GET /metrics", s.metrics())
	mux.HandleFunc("GET /sign-in", s.signInPage)
	mux.Handle("POST /sign-in", brief(s.signIn))
	mux.HandleFunc("GET /sign-in.js", signInScript)
	mux.Handle("POST /sign-out", brief(s.signOut))
	mux.Handle("GET /assets/", site.Cockpit)
	mux.Handle("/", s.byCookie(site.Cockpit))
	return l.shield(mux)
}

// tokenHint says how to be known.
const tokenHint = "send a bearer token; `stellwerk tokens add NAME --role ROLE` creates one"

// byToken lets in who shows a token. A right one is let in however often others
// failed at the same address: it has 256 bits, and nobody comes upon it.
func (s *server) byToken(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, shown := api.BearerToken(r)
		id, ok, err := s.Access.Token(r.Context(), token)
		if err != nil {
			s.unsure(err).Write(w)
			return
		}
		if shown && ok {
			s.admit(w, r, id, next)
			return
		}
		from := sender(r, s.listener.proxied)
		if wait := s.tokens.wait(from); wait > 0 {
			tooOften(w, wait).Write(w)
			return
		}
		if shown {
			s.tokens.failed(from)
			s.Log.Warn("a request had an invalid token", "from", from, "path", clip(r.URL.Path))
		}
		api.WriteUnknown(w, tokenHint)
	})
}

// byCookie lets in who has signed in, and sends others to do so.
func (s *server) byCookie(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, ok, err := s.signedIn(r)
		switch {
		case err != nil:
			refuseByPage(w, s.unsure(err))
		case ok:
			s.admit(w, r, id, api.Bounded(s.proven(id, next), refuseByPage))
		default:
			s.askToSignIn(w, r)
		}
	})
}

// byEither lets in who has signed in or shows a token.
func (s *server) byEither(next http.Handler) http.Handler {
	byToken, byCookie := s.byToken(next), s.byCookie(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" {
			byToken.ServeHTTP(w, r)
			return
		}
		byCookie.ServeHTTP(w, r)
	})
}

// metrics are for whoever is on this machine, as those of --metrics are, and for
// others with a token. Behind a proxy everybody seems to be on this machine.
func (s *server) metrics() http.Handler {
	if s.Metrics == nil {
		return http.NotFoundHandler()
	}
	guarded := s.byEither(s.Metrics)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.listener.proxied && sender(r, false).IsLoopback() {
			s.Metrics.ServeHTTP(w, r)
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

// ready says whether the engine can work, and not why it cannot: that is for its
// log.
func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	if err := s.Ready(r.Context()); err != nil {
		s.Log.Error("the engine is not ready", "error", err)
		writeText(w, http.StatusServiceUnavailable, "not ready")
		return
	}
	writeText(w, http.StatusOK, "ready")
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text+"\n") // the peer is gone; nobody is left to tell
}
