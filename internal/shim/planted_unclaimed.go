//go:build planted_unclaimed

package shim

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// take is a planted bug: it goes ahead whoever has the attempt already, so that
// two shims run it. The tests must fail under this build tag. It waits until
// the other one has begun, so that they do not trip over each other's folders
// before that.
func take(ctx context.Context, folder string) (*flock.Flock, error) {
	held, err := claim(ctx, folder)
	if !errors.Is(err, ErrAlreadyStarted) {
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
