package api

import (
	"context"
	"net/http"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/peer"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

// SessionHeader names the interactive session that sends a request with the
// person's token. What it asks for is then asked by the session, which needs
// the person's word for it, and not by the person.
const SessionHeader = "Stellwerk-Session"

type speakerKey struct{}

// AsSession marks what a client asks for with ctx as asked by an interactive
// session. An empty name leaves it the person's.
func AsSession(ctx context.Context, session string) context.Context {
	return context.WithValue(ctx, speakerKey{}, session)
}

// SpeakingSession is the session that AsSession named.
func SpeakingSession(ctx context.Context) string {
	session, _ := ctx.Value(speakerKey{}).(string)
	return session
}

// spoken passes a request on in the name of the holder of its token, or of the
// session that the request says it comes from. An attempt speaks for itself only.
func spoken(w http.ResponseWriter, r *http.Request, holder Caller, next http.Handler) {
	if holder.Actor.Kind != core.ActorAgent {
		holder.Inside = peer.Sessions(r.Context())
		if names, given := r.Header[http.CanonicalHeaderKey(SessionHeader)]; given {
			var ok bool
			if holder, ok = holder.inSession(names); !ok {
				NewProblem(http.StatusBadRequest, SessionHeader+" does not name a session", "").Write(w)
				return
			}
		}
	}
	next.ServeHTTP(w, r.WithContext(WithCaller(r.Context(), holder)))
}

// inSession is the session that a holder of a token names as the one it is in.
func (c Caller) inSession(names []string) (Caller, bool) {
	if len(names) != 1 || !snapshot.IsSession(names[0]) {
		return Caller{}, false
	}
	name := names[0]
	if len(c.Inside) > 0 && !slices.Contains(c.Inside, name) {
		name = c.Inside[0] // it was started in one session and names another
	}
	c.Actor = core.Actor{Kind: core.ActorSession, ID: name} // with the holder's role, and no more
	return c, true
}

// Speaker is in whose name a caller speaks to a run that a session owns. A process
// that was started inside that session speaks for the session, whoever it says it is.
func Speaker(ctx context.Context, session string) core.Actor {
	caller := CallerFrom(ctx)
	if session != "" && caller.Actor.Kind == core.ActorPerson && slices.Contains(caller.Inside, session) {
		return core.Actor{Kind: core.ActorSession, ID: session}
	}
	return caller.Actor
}
