// Package peer looks at the process at the other end of a local socket: inside
// which interactive session of a coding agent it was started. A process can say
// anything about itself and drop any variable; what its parents were started
// with it cannot change. If the system does not tell, there is nothing to be
// seen: this narrows a gap and is no boundary, because whoever leaves its
// parents behind is not seen either.
package peer

import (
	"context"
	"net"
	"slices"
)

// variable is what Claude Code sets for every process that its tools start.
const variable = "CLAUDE_CODE_SESSION_ID"

type key struct{}

// PID is the process at the other end of a connection, as this machine counts it,
// where the system tells.
func PID(c net.Conn) (int, bool) { return pidOf(c) }

// WithConn notes the process at the other end of a connection.
func WithConn(ctx context.Context, c net.Conn) context.Context {
	pid, ok := pidOf(c)
	if !ok {
		return ctx
	}
	return context.WithValue(ctx, key{}, pid)
}

// Sessions are those that a parent of the process at the other end was started
// in, nearest first. The process itself does not count: a hook is told its
// session, and is started by the session's program and not inside it.
func Sessions(ctx context.Context) []string {
	pid, ok := ctx.Value(key{}).(int)
	if !ok {
		return nil
	}
	var sessions []string
	for range maxParents {
		if pid = parentOf(pid); pid <= 1 {
			break
		}
		if session := initialVariable(pid, variable); session != "" && !slices.Contains(sessions, session) {
			sessions = append(sessions, session)
		}
	}
	return sessions
}

// maxParents bounds the walk: pids are used again, and a chain may change under it.
const maxParents = 64
