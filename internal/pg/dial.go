package pg

import (
	"net"
	"syscall"
	"time"
)

// Silence is for how long a server may say nothing before its connection counts as lost: shorter than an engine's lease, so that an
// engine goes on with another connection before anybody takes its projects.
const Silence = 8 * time.Second

// dialer opens connections whose other end is known to be gone soon after it is: the kernel gives up what it cannot deliver, and asks
// an idle server from time to time whether it is still there.
func dialer(silence time.Duration) *net.Dialer {
	return &net.Dialer{
		Timeout:         silence,
		Control:         func(network, _ string, c syscall.RawConn) error { return giveUpAfter(network, c, silence) },
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 5 * time.Second, Interval: time.Second, Count: 3},
	}
}
