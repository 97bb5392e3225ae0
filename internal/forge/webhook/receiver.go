package webhook

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

// atOnce bounds how many deliveries are read at the same time: each may take
// MaxBody of memory before its signature is known.
const atOnce = 16

// Receiver is the handler that forges send to: POST /github and POST /gitea. Its
// answers reveal nothing about the engine.
type Receiver struct {
	secret forge.Secret
	taken  *Recent
	tell   func(ctx context.Context, kind string, hint Hint)
	log    *slog.Logger
	crowd  crowd
	mux    http.ServeMux
}

// NewReceiver makes a receiver that calls tell with each hint from a sender that
// knows the secret, and with the kind of forge. It may call tell from several
// goroutines at once.
func NewReceiver(secret forge.Secret, taken *Recent, tell func(ctx context.Context, kind string, hint Hint), log *slog.Logger) *Receiver {
	r := &Receiver{secret: secret, taken: taken, tell: tell, log: log, crowd: crowd{most: atOnce}}
	for kind, from := range map[string]Sender{"github": GitHub(), "gitea": Gitea()} {
		r.mux.HandleFunc("POST /"+kind, func(w http.ResponseWriter, req *http.Request) { r.take(w, req, kind, from) })
	}
	return r
}

// ServeHTTP implements http.Handler.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) { r.mux.ServeHTTP(w, req) }

func (r *Receiver) take(w http.ResponseWriter, req *http.Request, kind string, from Sender) {
	connection := http.NewResponseController(w)
	sending := r.crowd.enter(sender(req), func() {
		if err := connection.SetReadDeadline(time.Unix(1, 0)); err != nil {
			r.log.Warn("cannot end a slow webhook delivery", "forge", kind, "error", err)
		}
	})
	body, err := Verify(from, r.secret, req.Header, http.MaxBytesReader(w, req.Body, MaxBody+1), r.taken)
	if r.crowd.leave(sending) && err != nil {
		r.log.Warn("ended a webhook delivery that took too long while others waited", "forge", kind)
		w.WriteHeader(http.StatusRequestTimeout)
		return
	}
	var hint Hint
	relevant := false
	if err == nil {
		hint, relevant, err = Parse(from, req.Header, body)
	}
	if err != nil {
		r.log.Warn("refused a webhook delivery", "forge", kind, "error", err)
		w.WriteHeader(status(err))
		return
	}
	if relevant {
		r.tell(req.Context(), kind, hint)
	}
	w.WriteHeader(http.StatusNoContent)
}

// sender is the address that a delivery comes from: the proxy's, if there is one.
func sender(req *http.Request) string {
	host, _, err := net.SplitHostPort(req.RemoteAddr)
	if err != nil {
		return req.RemoteAddr
	}
	return host
}

func status(err error) int {
	switch {
	case errors.Is(err, ErrSignature):
		return http.StatusUnauthorized
	case errors.Is(err, ErrReplay):
		return http.StatusConflict
	case errors.Is(err, ErrTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.Is(err, ErrSecret):
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}
