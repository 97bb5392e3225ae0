package sandbox

import "golang.org/x/sys/unix"

// foreignABI marks the numbers of x32, which share the architecture.
const (
	ownArch    = unix.AUDIT_ARCH_X86_64
	foreignABI = 0x40000000
)
