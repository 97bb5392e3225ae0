//go:build !linux

package terminal

import "golang.org/x/sys/unix"

// discard throws away what was typed before anybody was asked. 1 is FREAD of
// the BSD systems: the input alone.
func discard(fd int) error { return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, 1) }
