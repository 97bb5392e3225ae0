//go:build !planted

package shim

import (
	"context"

	"github.com/gofrs/flock"
)

// take makes the attempt this shim's own, or fails with ErrAlreadyStarted.
func take(ctx context.Context, folder string) (*flock.Flock, error) { return claim(ctx, folder) }
