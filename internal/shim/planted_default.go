//go:build !planted_unclaimed

package shim

import "context"

// take makes the attempt this shim's own, or fails with ErrAlreadyStarted.
func take(ctx context.Context, folder string) (lock, error) { return claim(ctx, folder) }
