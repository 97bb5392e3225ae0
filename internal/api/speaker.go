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

// speaker is who asks: the holder of the token, or the session they are in. An
// attempt is never anybody else.
func speaker(holder Caller, r *http.Request) (Caller, bool) {
	if holder.Actor.Kind == core.ActorAgent {
		return holder, true
	}
	holder.Inside = peer.Sessions(r.Context())
	names, given := r.Header[http.CanonicalHeaderKey(SessionHeader)]
	if !given {
		return holder, true
	}
	return holder.inSession(names)
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
