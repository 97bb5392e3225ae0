package app

import (
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// A folder of another account is no engine that does not answer.
func TestUnreadableStateFolderIsCalledThat(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.EACCES)}
	err := unreachable("/srv/state", refused)
	if !strings.Contains(err.Error(), "you may not read the state folder /srv/state") || !strings.Contains(wording.Hint(err), "--state") {
		t.Errorf("%v; %s", err, wording.Hint(err))
	}
	broken := &net.OpError{Op: "dial", Net: "unix", Err: os.NewSyscallError("connect", syscall.EAGAIN)}
	if err := unreachable("/srv/state", broken); !strings.Contains(err.Error(), "the engine cannot be reached") {
		t.Error(err)
	}
}
