package egress

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"time"
)

const (
	dialTime    = 10 * time.Second // for one address
	resolveTime = 10 * time.Second
	reachTime   = 30 * time.Second // for everything until the host is reached
	maxTried    = 8                // addresses of one host
)

// far is an open connection to a host, or to the upstream proxy for it.
type far struct {
	net.Conn
	rest     []byte // read already
	upstream bool
}

// purpose is what a connection is opened for: through an upstream proxy it is a
// tunnel in one case, and carries requests to the proxy in the other.
type purpose int

const (
	tunnelled purpose = iota
	forwarded
)

// reach checks a host, resolves it once, and dials an address that passed. The
// error is a *Refused if the policy forbids it. It notes everything but the bytes
// in the record.
func (s *Server) reach(ctx context.Context, a *attempt, host string, port int, how purpose) (*far, error) {
	ctx, cancel := context.WithTimeout(ctx, reachTime)
	defer cancel()
	conn, err := s.open(ctx, a, host, port, how)
	var refused *Refused
	switch {
	case err == nil:
		return conn, nil
	case errors.As(err, &refused):
		a.Host = refused.Host
		return nil, a.refuse(refused.Cause)
	}
	a.Cause = cause(err)
	return nil, err
}

func (s *Server) open(ctx context.Context, a *attempt, host string, port int, how purpose) (*far, error) {
	name, err := s.o.Policy.check(host, port)
	if err != nil {
		return nil, err
	}
	a.Host = name
	if s.viaUpstream(name, port) {
		if addr, err := netip.ParseAddr(name); err == nil {
			if err := s.o.Policy.CheckAddress(name, port, addr); err != nil {
				return nil, err
			}
		}
		a.Allowed = true
		a.Address = s.o.Upstream.Host
		return s.dialUpstream(ctx, endpoint(name, port), how)
	}
	addresses, err := s.addresses(ctx, name)
	if err != nil {
		a.Allowed = true // by the list
		return nil, err
	}
	passed, err := s.passing(name, port, addresses)
	if err != nil {
		return nil, err
	}
	a.Allowed = true
	return dial(ctx, a, passed, port)
}

// addresses resolves a name, once.
func (s *Server) addresses(ctx context.Context, name string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(name); err == nil {
		return []netip.Addr{a}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	found, err := s.o.Resolve(ctx, name)
	if err == nil && len(found) == 0 {
		err = &net.DNSError{Err: "no addresses", Name: name, IsNotFound: true}
	}
	return found, err
}

func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

// passing keeps the addresses that the policy lets pass. The error is the first
// refusal, if none does.
func (s *Server) passing(name string, port int, found []netip.Addr) ([]netip.Addr, error) {
	var passed []netip.Addr
	var first error
	for _, addr := range found {
		err := s.o.Policy.CheckAddress(name, port, addr)
		if err == nil {
			passed = append(passed, addr.Unmap())
		} else if first == nil {
			first = err
		}
	}
	if len(passed) == 0 {
		return nil, first
	}
	return passed[:min(len(passed), maxTried)], nil
}

// dial tries addresses in their order.
func dial(ctx context.Context, a *attempt, addresses []netip.Addr, port int) (*far, error) {
	dialer := net.Dialer{Timeout: dialTime}
	var errs []error
	for _, addr := range addresses {
		a.Address = netip.AddrPortFrom(addr, uint16(port)).String() //nolint:gosec // the policy checked the port
		conn, err := dialer.DialContext(ctx, "tcp", a.Address)
		if err == nil {
			return &far{Conn: conn}, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}

// viaUpstream reports whether a host is reached through the upstream proxy.
func (s *Server) viaUpstream(name string, port int) bool {
	if s.o.Upstream == nil {
		return false
	}
	u, err := s.proxied(&url.URL{Scheme: "https", Host: endpoint(name, port)})
	return err == nil && u != nil
}

func literal(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// cause is an error as a short line for the record and the client.
func cause(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	var sys *os.SyscallError
	switch {
	case errors.As(err, &dns):
		return fmt.Sprintf("the name cannot be resolved: %s", dns.Err)
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.Is(err, context.Canceled):
		return "the client hung up"
	case errors.As(err, &sys):
		return sys.Err.Error()
	case errors.As(err, &op) && op.Err != nil:
		return op.Err.Error()
	}
	return err.Error()
}
