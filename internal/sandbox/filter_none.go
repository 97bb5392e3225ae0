//go:build !linux || (!amd64 && !arm64)

package sandbox

import (
	"fmt"
	"runtime"
)

// filterBytes fails on this system: a sandbox needs the filter to keep its promises.
func filterBytes() ([]byte, error) {
	return nil, fmt.Errorf("%w: there is no filter of system calls for %s/%s", ErrUnavailable, runtime.GOOS, runtime.GOARCH)
}
