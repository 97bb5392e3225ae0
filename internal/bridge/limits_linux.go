package bridge

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// resourceKinds is how many resources the kernel bounds for a process.
const resourceKinds = unix.RLIMIT_RTTIME + 1

// limits are the resource limits of a process.
type limits [resourceKinds]unix.Rlimit

// bound forbids cores, and files larger than that, to this process and all that it starts.
func bound(largest int64) error {
	err := unix.Prlimit(0, unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	if err == nil && largest > 0 {
		err = unix.Prlimit(0, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: uint64(largest), Max: uint64(largest)}, nil)
	}
	if err != nil {
		return fmt.Errorf("limit the size of files: %w", err)
	}
	return nil
}

// ownLimits reads the limits of this process. Any other inside may set them, since both belong to the same user.
func ownLimits() (limits, error) {
	var all limits
	for kind := range all {
		// Not what the syscall package says, which raises the limit of open files and reports what that was before.
		if err := unix.Prlimit(0, kind, nil, &all[kind]); err != nil {
			return limits{}, fmt.Errorf("read the limits of the bridge: %w", err)
		}
	}
	return all, nil
}
