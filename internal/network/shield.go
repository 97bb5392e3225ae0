package network

import (
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// contentPolicy lets a page run and load what comes from here, and nothing that
// is written into it.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// answerTime is how long an answer may take that does not set itself a time
// for each piece, as streams do.
const answerTime = 5 * time.Minute

// shield is what holds for every request, whatever it asks for.
func (l *Listener) shield(next http.Handler) http.Handler {
	foreign := http.NewCrossOriginProtection()
	foreign.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, api.NewProblem(http.StatusForbidden, "a page of another site sent the request", "use the engine's own pages, or a token without a browser"))
	}))
	next = foreign.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := limited(w, r); err != nil {
			api.NewProblem(http.StatusInternalServerError, "cannot limit the time of the request", "").Write(w)
			return
		}
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !l.called(r) {
			refuse(w, r, api.NewProblem(http.StatusMisdirectedRequest, "the engine is not called "+clip(r.Host),
				"use the address that `stellwerk cockpit` prints, or start the engine with --host NAME"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limited sets the time that a request has. That of a body holds for who is refused
// as well, because a body is read to its end before the answer; who is let in has
// it read by api.Bounded, which lifts the limit. A request without a body has none:
// one that is served for longer than the limit would be taken to have ended.
func limited(w http.ResponseWriter, r *http.Request) error {
	conn := http.NewResponseController(w)
	if r.ContentLength != 0 {
		if err := conn.SetReadDeadline(time.Now().Add(api.BodyTime)); err != nil {
			return fmt.Errorf("limit the time to read a request: %w", err)
		}
	}
	if err := conn.SetWriteDeadline(time.Now().Add(answerTime)); err != nil {
		return fmt.Errorf("limit the time to answer: %w", err)
	}
	return nil
}

// called reports a request for a name or address that is the engine's own. A page
// of another site that has its own name resolve to this machine is not one.
func (l *Listener) called(r *http.Request) bool {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if _, found := slices.BinarySearch(l.hosts, host); found {
		return true
	}
	ip, err := netip.ParseAddr(host)
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return err == nil && ok && ip.Unmap() == local.AddrPort().Addr().Unmap()
}

// clip shortens what an unauthenticated client sent.
func clip(s string) string { return plain.ClipBytes(s, 80) }

// maxUnknown bounds what somebody can send who was not let in yet.
const maxUnknown = 8 << 10

// brief reads the whole body of a request that anybody can send.
func brief(next http.HandlerFunc) http.Handler {
	bounded := api.Bounded(next, refuseByPage)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxUnknown)
		bounded.ServeHTTP(w, r)
	})
}

// jsonOnly refuses what a form or a script without leave could have sent.
func jsonOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
				api.NewProblem(http.StatusUnsupportedMediaType, "the engine accepts only JSON", "set Content-Type: application/json").Write(w)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
