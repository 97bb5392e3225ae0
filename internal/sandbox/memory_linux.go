package sandbox

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// inMemory is a file without a name that holds data. Unlike a pipe it has no limit of its own.
func inMemory(data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("environment", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("sandbox: hand over the environment: %w", err)
	}
	file := os.NewFile(uintptr(fd), "environment") //nolint:gosec // the kernel's own number
	_, err = file.Write(data)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: hand over the environment: %w", err), file.Close())
	}
	return file, nil
}
