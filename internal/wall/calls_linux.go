package wall

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// tryCalls asks for the session keyring, which the filter denies.
func tryCalls() string {
	if _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false); !errors.Is(err, unix.EPERM) {
		return fmt.Sprintf("a process inside may call keyctl: %v", err)
	}
	return ""
}
