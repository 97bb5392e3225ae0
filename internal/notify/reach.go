package notify

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
)

// Reach connects to the address of a way and sends nothing. It fails if no message
// could get there. Errors name only the host of the address.
func Reach(ctx context.Context, address string, privateHosts []string) error {
	t, err := newTarget(address, privateHosts)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	dialer := &net.Dialer{Control: t.control}
	host := net.JoinHostPort(t.url.Hostname(), cmp.Or(t.url.Port(), t.url.Scheme))
	if t.url.Scheme == "http" {
		return t.closed(dialer.DialContext(ctx, "tcp", host))
	}
	secure := &tls.Dialer{NetDialer: dialer, Config: &tls.Config{ServerName: t.url.Hostname(), MinVersion: tls.VersionTLS12}}
	return t.closed(secure.DialContext(ctx, "tcp", host))
}

// closed ends a connection that was only tried.
func (t target) closed(conn net.Conn, err error) error {
	if err == nil {
		err = conn.Close()
	}
	var at *net.OpError
	if errors.As(err, &at) && at.Err != nil {
		err = at.Err
	}
	if err != nil {
		return fmt.Errorf("connect to %s: %w", t.url.Hostname(), err)
	}
	return nil
}
