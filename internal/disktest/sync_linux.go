package disktest

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// atNumber is where a filter finds the number of a system call.
const atNumber = 0

// FailSyncs calls do on a thread of its own, where fsync and fdatasync fail with
// EIO. What do hands to other goroutines is not affected. The error says that the
// kernel does not take the filter, and do was not called.
func FailSyncs(do func()) error {
	refused := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine, and the filter with the thread
		err := filterSyncs()
		if err == nil {
			do()
		}
		refused <- err
	}()
	return <-refused
}

func filterSyncs() error {
	fail := bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EIO)}
	program, err := bpf.Assemble([]bpf.Instruction{
		bpf.LoadAbsolute{Off: atNumber, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_FSYNC, SkipTrue: 1}, fail,
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_FDATASYNC, SkipTrue: 1}, fail,
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	})
	if err != nil {
		return fmt.Errorf("assemble a filter: %w", err)
	}
	filter := make([]unix.SockFilter, len(program))
	for i, in := range program {
		filter[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("allow a filter: %w", err)
	}
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]} //nolint:gosec // six instructions
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	runtime.KeepAlive(filter)
	if errno != 0 {
		return fmt.Errorf("set a filter: %w", errno)
	}
	return nil
}
