//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// call is a system call as the filter sees it. The virtual machine reads as networks do, so the numbers are written so.
func call(arch, number, first uint32) []byte {
	data := make([]byte, 64)
	binary.BigEndian.PutUint32(data[atNumber:], number)
	binary.BigEndian.PutUint32(data[atArch:], arch)
	binary.BigEndian.PutUint32(data[atFirst:], first)
	return data
}

func TestFilterDecides(t *testing.T) {
	vm, err := bpf.NewVM(filter(ownArch, foreignABI))
	if err != nil {
		t.Fatal(err)
	}
	const otherArch = unix.AUDIT_ARCH_ARM
	errno := func(e unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(e) }
	for name, c := range map[string]struct {
		data []byte
		want uint32
	}{
		"read":                 {call(ownArch, unix.SYS_READ, 0), unix.SECCOMP_RET_ALLOW},
		"another architecture": {call(otherArch, unix.SYS_READ, 0), unix.SECCOMP_RET_KILL_PROCESS},
		"keyctl":               {call(ownArch, unix.SYS_KEYCTL, 0), errno(unix.EPERM)},
		"add_key":              {call(ownArch, unix.SYS_ADD_KEY, 0), errno(unix.EPERM)},
		"request_key":          {call(ownArch, unix.SYS_REQUEST_KEY, 0), errno(unix.EPERM)},
		"io_uring":             {call(ownArch, unix.SYS_IO_URING_SETUP, 8), errno(unix.EPERM)},
		"mount":                {call(ownArch, unix.SYS_MOUNT, 0), errno(unix.EPERM)},
		"a thread":             {call(ownArch, unix.SYS_CLONE, unix.CLONE_VM|unix.CLONE_THREAD|unix.CLONE_SIGHAND), unix.SECCOMP_RET_ALLOW},
		"a child":              {call(ownArch, unix.SYS_CLONE, uint32(unix.SIGCHLD)), unix.SECCOMP_RET_ALLOW},
		"a user namespace":     {call(ownArch, unix.SYS_CLONE, uint32(unix.SIGCHLD)|unix.CLONE_NEWUSER), errno(unix.EPERM)},
		"clone3":               {call(ownArch, unix.SYS_CLONE3, 0), errno(unix.ENOSYS)},
		"unshare files":        {call(ownArch, unix.SYS_UNSHARE, unix.CLONE_FILES), unix.SECCOMP_RET_ALLOW},
		"unshare time":         {call(ownArch, unix.SYS_UNSHARE, unix.CLONE_NEWTIME), errno(unix.EPERM)},
		"unshare cgroup":       {call(ownArch, unix.SYS_UNSHARE, unix.CLONE_NEWCGROUP|unix.CLONE_FS), errno(unix.EPERM)},
		"a clone's time bit":   {call(ownArch, unix.SYS_CLONE, unix.CLONE_NEWTIME), unix.SECCOMP_RET_ALLOW},
	} {
		got, err := vm.Run(c.data)
		if err != nil || uint32(got) != c.want {
			t.Errorf("%s: %#x, want %#x (%v)", name, got, c.want, err)
		}
	}
	for _, flag := range []uint32{unix.CLONE_NEWNS, unix.CLONE_NEWCGROUP, unix.CLONE_NEWUTS, unix.CLONE_NEWIPC, unix.CLONE_NEWUSER, unix.CLONE_NEWPID, unix.CLONE_NEWNET} {
		for _, number := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} {
			if got, err := vm.Run(call(ownArch, number, flag|unix.CLONE_VM)); err != nil || uint32(got) != errno(unix.EPERM) {
				t.Errorf("call %d with the flag %#x: %#x (%v)", number, flag, got, err)
			}
		}
	}
	for _, number := range []uint32{
		unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
		unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	} {
		if got, err := vm.Run(call(ownArch, number, 0)); err != nil || uint32(got) != errno(unix.EPERM) {
			t.Errorf("call %d: %#x (%v)", number, got, err)
		}
	}
	for family := range uint32(64) {
		want := errno(unix.EAFNOSUPPORT)
		switch family {
		case unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK:
			want = unix.SECCOMP_RET_ALLOW
		}
		if got, err := vm.Run(call(ownArch, unix.SYS_SOCKET, family)); err != nil || uint32(got) != want {
			t.Errorf("a socket of the family %d: %#x (%v)", family, got, err)
		}
	}
	for family, want := range map[uint32]uint32{unix.AF_VSOCK: errno(unix.EAFNOSUPPORT), unix.AF_PACKET: errno(unix.EAFNOSUPPORT), unix.AF_INET: unix.SECCOMP_RET_ALLOW} {
		data := call(ownArch, unix.SYS_SOCKET, family)
		binary.BigEndian.PutUint32(data[atFirst+4:], 1) // the kernel takes an int: bits above it hide no family
		if got, err := vm.Run(data); err != nil || uint32(got) != want {
			t.Errorf("a socket of the family %d with high bits: %#x (%v)", family, got, err)
		}
	}
	for _, number := range []uint32{unix.SYS_CLONE, unix.SYS_UNSHARE} { // whose flags are not taken for a number
		if got, err := vm.Run(call(ownArch, number, unix.SYS_SOCKET)); err != nil || uint32(got) != unix.SECCOMP_RET_ALLOW {
			t.Errorf("call %d with the flags %#x: %#x (%v)", number, unix.SYS_SOCKET, got, err)
		}
	}
}
