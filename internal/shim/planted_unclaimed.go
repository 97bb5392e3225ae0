//go:build planted_unclaimed

package shim

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// take is a planted bug: it goes ahead whoever has the attempt already, so that
// two shims can run it. The tests must fail under this build tag.
func take(ctx context.Context, folder string) (lock, error) {
	held, err := claim(ctx, folder)
	if errors.Is(err, ErrAlreadyStarted) {
		return lock{flock.New(filepath.Join(folder, lockFile))}, os.RemoveAll(filepath.Join(folder, tmpFolder))
	}
	return held, err
}
