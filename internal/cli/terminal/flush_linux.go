package terminal

import "golang.org/x/sys/unix"

// discard throws away what was typed before anybody was asked.
func discard(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }
