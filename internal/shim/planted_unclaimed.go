//go:build planted

package shim

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/stellwerk-dev/stellwerk/internal/planted"
)

// take with a planted bug goes ahead whoever has the attempt already, so that
// two shims run it. It waits until the other one has begun, so that they do not trip over each other's folders
// before that.
func take(ctx context.Context, folder string) (*flock.Flock, error) {
	held, err := claim(ctx, folder)
	if !planted.Is("unclaimed") || !errors.Is(err, ErrAlreadyStarted) {
		return held, err
	}
	for ctx.Err() == nil {
		begun, err := has(folder, tmpFolder)
		ended, endErr := has(folder, exitFile)
		if begun || ended || err != nil || endErr != nil {
			break
		}
		time.Sleep(claimLook)
	}
	return flock.New(filepath.Join(folder, lockFile)), os.RemoveAll(filepath.Join(folder, tmpFolder))
}
