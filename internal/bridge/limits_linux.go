package bridge

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// resourceKinds is how many resources the kernel bounds for a process.
const resourceKinds = unix.RLIMIT_RTTIME + 1

// limits are the resource limits of a process.
type limits [resourceKinds]unix.Rlimit

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
