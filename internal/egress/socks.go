package egress

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// Constants of SOCKS5 (RFC 1928).
const (
	socksVersion     = 5
	socksNoAuth      = 0
	socksNoMethod    = 0xff
	socksConnect     = 1
	socksIPv4        = 1
	socksName        = 3
	socksIPv6        = 4
	replyDone        = 0
	replyFailed      = 1
	replyForbidden   = 2
	replyNetwork     = 3
	replyHost        = 4
	replyRefused     = 5
	replyNoCommand   = 7
	replyNoAddresses = 8
)

// socks serves a SOCKS5 client.
func (d *serving) socks(c *client) {
	if !d.greetSocks(c) {
		return
	}
	host, port, command, err := readRequest(c)
	if err != nil {
		if errors.Is(err, errAddressType) {
			hangUp(c, reply(replyNoAddresses))
		}
		return
	}
	_ = c.SetDeadline(time.Time{}) // fails only with the connection
	a := d.begin("socks5", host, port)
	defer a.end()
	if command != socksConnect {
		a.Cause = "SOCKS5 is served for outgoing TCP connections only"
		hangUp(c, reply(replyNoCommand))
		return
	}
	far, err := d.reach(d.ctx, a, host, port, tunnelled)
	if err != nil {
		hangUp(c, reply(socksReply(err)))
		return
	}
	defer func() { _ = far.Close() }() // the tunnel has noted how it ended
	if _, err := io.WriteString(c, reply(replyDone)); err != nil {
		a.Cause = cause(err)
		return
	}
	d.carry(a, c.Conn, far, nil)
}

// greetSocks agrees on no authentication: only this attempt can reach the socket.
func (d *serving) greetSocks(c *client) bool {
	var head [2]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return false
	}
	methods := make([]byte, head[1])
	if _, err := io.ReadFull(c, methods); err != nil {
		return false
	}
	for _, m := range methods {
		if m == socksNoAuth {
			_, err := c.Write([]byte{socksVersion, socksNoAuth})
			return err == nil
		}
	}
	hangUp(c, string([]byte{socksVersion, socksNoMethod}))
	return false
}

var (
	errAddressType = errors.New("unknown type of address")
	errVersion     = errors.New("unknown version of SOCKS")
)

// readRequest reads exactly the request: what follows belongs to the tunnel.
func readRequest(r io.Reader) (host string, port int, command byte, err error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return "", 0, 0, err
	}
	if head[0] != socksVersion {
		return "", 0, 0, errVersion
	}
	var size int
	switch head[3] {
	case socksIPv4:
		size = net.IPv4len
	case socksIPv6:
		size = net.IPv6len
	case socksName:
		var length [1]byte
		if _, err := io.ReadFull(r, length[:]); err != nil {
			return "", 0, 0, err
		}
		size = int(length[0])
	default:
		return "", 0, 0, errAddressType
	}
	rest := make([]byte, size+2)
	if _, err := io.ReadFull(r, rest); err != nil {
		return "", 0, 0, err
	}
	host = string(rest[:size])
	if head[3] != socksName {
		addr, _ := netip.AddrFromSlice(rest[:size]) // 4 or 16 bytes
		host = addr.String()
	}
	return host, int(binary.BigEndian.Uint16(rest[size:])), head[1], nil
}

// reply is an answer without a bound address, which no client of ours needs.
func reply(code byte) string {
	return string([]byte{socksVersion, code, 0, socksIPv4, 0, 0, 0, 0, 0, 0})
}

func socksReply(err error) byte {
	var refused *Refused
	var dns *net.DNSError
	switch {
	case errors.As(err, &refused):
		return replyForbidden
	case errors.Is(err, syscall.ECONNREFUSED):
		return replyRefused
	case errors.Is(err, syscall.ENETUNREACH):
		return replyNetwork
	case errors.As(err, &dns), errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ETIMEDOUT):
		return replyHost
	}
	return replyFailed
}
