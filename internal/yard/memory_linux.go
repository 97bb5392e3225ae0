package yard

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// limitMemory bounds what a process may allocate from now on. Files that it maps to read do not count.
func limitMemory(pid int, most uint64) error {
	err := unix.Prlimit(pid, unix.RLIMIT_DATA, &unix.Rlimit{Cur: most, Max: most}, nil)
	if err == nil || errors.Is(err, unix.ESRCH) { // it may have ended already
		return nil
	}
	return fmt.Errorf("limit the memory of git: %w", err)
}
