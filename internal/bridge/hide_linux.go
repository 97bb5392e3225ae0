package bridge

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// fatal are the signals that can end or stop a Go program unless it catches them.
func fatal() []os.Signal {
	return []os.Signal{
		syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE,
		syscall.SIGSEGV, syscall.SIGPIPE, syscall.SIGTERM, syscall.SIGSTKFLT, syscall.SIGSYS, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU,
	}
}

// hide names the process and makes it undumpable: no process inside may trace it or read its memory.
func hide() error {
	if err := os.WriteFile("/proc/self/comm", []byte(Name), 0); err != nil {
		return fmt.Errorf("name the bridge: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keep others from tracing the bridge: %w", err)
	}
	return nil
}
