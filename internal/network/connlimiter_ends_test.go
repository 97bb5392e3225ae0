package network

import (
	"net"
	"strconv"
	"syscall"
	"testing"
)

// TestOneEndWithTwoConnections: who connects to two addresses of this machine from
// one port is counted twice.
func TestOneEndWithTwoConnections(t *testing.T) {
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	limiter := newConnLimiter(l, 10)
	defer func() { _ = limiter.Close() }()
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}, Control: func(_, _ string, c syscall.RawConn) error {
		var set error
		err := c.Control(func(fd uintptr) { set = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1) })
		if err != nil {
			return err
		}
		return set
	}}
	for _, address := range []string{"127.0.0.1:", "127.0.0.2:"} {
		conn, err := dialer.DialContext(t.Context(), "tcp4", address+port)
		if err != nil {
			t.Skipf("this machine does not connect to %s twice from one port: %v", address, err)
		}
		defer func() { _ = conn.Close() }()
		dialer.LocalAddr = conn.LocalAddr()
		in, err := limiter.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = in.Close() }()
	}
	if len(limiter.conns) != 2 {
		t.Errorf("%d connections are counted", len(limiter.conns))
	}
}
