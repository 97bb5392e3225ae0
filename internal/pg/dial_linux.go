package pg

import (
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// giveUpAfter has the kernel end a connection if what was sent is not acknowledged for so long. Otherwise it tries for a quarter of
// an hour, and may deliver a statement long after somebody else has sent it again.
func giveUpAfter(network string, c syscall.RawConn, silence time.Duration) error {
	if !strings.HasPrefix(network, "tcp") {
		return nil
	}
	var err error
	if controlled := c.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence.Milliseconds()))
	}); controlled != nil {
		return controlled
	}
	return err
}
