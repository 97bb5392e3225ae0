package wall

import (
	"errors"

	"golang.org/x/sys/unix"
)

// What the kernel says to a call that a filter refuses, and to one that it does not have.
var (
	refusedCall = unix.EPERM.Error()
	noCall      = unix.ENOSYS.Error()
)

// tryCalls makes system calls that the filter refuses, with arguments that make them do nothing. If the kernel allows a call,
// it complains about the arguments instead.
func tryCalls() map[string]string {
	const none = ^uintptr(0) // a descriptor that is never open
	out := map[string]string{}
	for call, try := range map[string]func() error{
		"keyctl": func() error {
			_, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false)
			return err
		},
		"setns":           func() error { return raw(unix.SYS_SETNS, none, 0, 0, 0, 0) },
		"io_uring_setup":  func() error { return raw(unix.SYS_IO_URING_SETUP, 0, 0, 0, 0, 0) },
		"perf_event_open": func() error { return raw(unix.SYS_PERF_EVENT_OPEN, 0, 0, 0, none, 0) },
	} {
		out[call] = ""
		if err := try(); err != nil {
			out[call] = err.Error()
		}
	}
	return out
}

func raw(number, a, b, c, d, e uintptr) error {
	_, _, errno := unix.RawSyscall6(number, a, b, c, d, e, 0)
	if errno == 0 {
		return errors.New("it was obeyed")
	}
	return errno
}
