package store

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// StreamHead is where a stream stands.
type StreamHead struct {
	Stream string
	core.Head
}

// Heads lists every stream there is.
type Heads interface {
	// Heads lists the streams whose names come after `after`, by the order of the names'
	// bytes, each with where it stands; all of them if limit is 0. A stream is read at one
	// moment, several need not be read at the same.
	Heads(ctx context.Context, after string, limit int) ([]StreamHead, error)
}
