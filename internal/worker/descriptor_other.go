//go:build !linux

package worker

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// SealDescriptors keeps what the surrounding shell left open from every process
// this one starts: a folder among them would lead an agent out of its sandbox.
func SealDescriptors() error {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return fmt.Errorf("list open files: %w", err)
	}
	for _, entry := range entries {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}
