package worker

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// keepPrivate makes this process undumpable: an agent without isolation runs as the same user, and must not trace the worker or
// read its memory, in which are the attempt's token and what the broker signs in with.
func keepPrivate() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keep the agent from reading its worker's memory: %w", err)
	}
	return nil
}
