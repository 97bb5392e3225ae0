//go:build !linux

package sandbox

import "os"

// inMemory is for bubblewrap, which only Linux has.
func inMemory([]byte) (*os.File, error) { return nil, ErrUnavailable }
