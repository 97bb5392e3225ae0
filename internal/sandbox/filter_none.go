//go:build !linux || (!amd64 && !arm64)

package sandbox

import (
	"fmt"
	"runtime"
)

// filterBytes fails if bubblewrap would have to do without a filter: part of what a sandbox promises rests on it.
func filterBytes() ([]byte, error) {
	return nil, fmt.Errorf("%w: there is no filter of system calls for %s/%s", ErrUnavailable, runtime.GOOS, runtime.GOARCH)
}
