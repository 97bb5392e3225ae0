//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"fmt"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// denied are system calls that lead out of a sandbox, or that reach what no mount can hide. They fail with EPERM, as they
// would for anybody without privileges, so that programs fall back to something else.
func denied() []uint32 {
	return []uint32{
		// The person's keys, which belong to a user and not to a file system.
		unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		// The filter does not see calls that io_uring makes.
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
		// Mounts and namespaces: with these root inside reaches the machine's cgroups.
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN,
		unix.SYS_FSCONFIG, unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS,
		unix.SYS_OPEN_BY_HANDLE_AT,
		// Parts of the kernel that few programs need and most escapes begin with.
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	}
}

// namespaces are the flags of clone and unshare that make one. CLONE_NEWTIME is for unshare alone: among the flags of
// clone its bit is part of a signal's number.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER |
	unix.CLONE_NEWPID | unix.CLONE_NEWNET

// families are the sockets that programs get. NETLINK is how they ask for addresses and routes.
func families() []uint32 { return []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK} }

// Offsets in struct seccomp_data, which the filter reads: the call's number, the architecture, and the low half of the first
// argument on a little-endian machine. The kernel drops the high half of the arguments that the filter looks at.
const (
	atNumber = 0
	atArch   = 4
	atFirst  = 16
)

func failWith(errno unix.Errno) bpf.Instruction {
	return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(errno)}
}

// filter is the program that decides on every system call of a sandbox. Calls by another architecture's numbers (int 0x80,
// 32-bit programs) end the process, because the numbers below would mean others there.
func filter(arch, otherABI uint32) []bpf.Instruction {
	allow := bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}
	program := []bpf.Instruction{
		bpf.LoadAbsolute{Off: atArch, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: arch, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		bpf.LoadAbsolute{Off: atNumber, Size: 4},
	}
	if otherABI != 0 {
		program = append(program,
			bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: otherABI, SkipTrue: 1}, failWith(unix.ENOSYS))
	}
	for _, number := range denied() {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: number, SkipTrue: 1}, failWith(unix.EPERM))
	}
	// The flags of clone3 lie in memory, where no filter can look. C libraries fall back to clone.
	program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_CLONE3, SkipTrue: 1}, failWith(unix.ENOSYS))
	for _, call := range []struct{ number, flags uint32 }{
		{unix.SYS_CLONE, namespaces}, {unix.SYS_UNSHARE, namespaces | unix.CLONE_NEWTIME},
	} {
		program = append(program,
			bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call.number, SkipTrue: 4},
			bpf.LoadAbsolute{Off: atFirst, Size: 4},
			bpf.JumpIf{Cond: bpf.JumpBitsNotSet, Val: call.flags, SkipTrue: 1},
			failWith(unix.EPERM),
			allow)
	}
	program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.SYS_SOCKET, SkipTrue: uint8(2 + 2*len(families()))},
		bpf.LoadAbsolute{Off: atFirst, Size: 4})
	for _, family := range families() {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: family, SkipTrue: 1}, allow)
	}
	return append(program, failWith(unix.EAFNOSUPPORT), allow)
}

// filterBytes is the filter as bubblewrap reads it: an array of struct sock_filter.
func filterBytes() ([]byte, error) {
	raw, err := bpf.Assemble(filter(ownArch, foreignABI))
	if err != nil {
		return nil, fmt.Errorf("sandbox: assemble the filter of system calls: %w", err)
	}
	var out []byte
	for _, i := range raw {
		out = binary.LittleEndian.AppendUint16(out, i.Op)
		out = append(out, i.Jt, i.Jf)
		out = binary.LittleEndian.AppendUint32(out, i.K)
	}
	return out, nil
}
