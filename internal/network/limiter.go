package network

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// limiter counts failures of addresses within a span of time.
type limiter struct {
	most int
	span time.Duration
	now  func() time.Time

	mu   sync.Mutex
	seen map[netip.Prefix]*failures
}

type failures struct {
	n     int
	since time.Time
}

// maxAddresses bounds what is remembered. Who has that many addresses is not
// stopped by counting them; what is guessed at is too long for that.
const maxAddresses = 10000

func newLimiter(most int, span time.Duration, now func() time.Time) *limiter {
	return &limiter{most: most, span: span, now: now, seen: map[netip.Prefix]*failures{}}
}

// wait is how long an address has to, because it has failed too often; 0 where it
// may try.
func (l *limiter) wait(from netip.Addr) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.seen[customer(from)]
	if f == nil || f.n < l.most {
		return 0
	}
	return max(0, l.span-l.now().Sub(f.since))
}

// failed counts one.
func (l *limiter) failed(from netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	who, now := customer(from), l.now()
	f := l.seen[who]
	if f == nil || now.Sub(f.since) >= l.span {
		if len(l.seen) >= maxAddresses {
			l.forget(now)
		}
		f = &failures{since: now}
		l.seen[who] = f
	}
	f.n++
}

// forget makes room.
func (l *limiter) forget(now time.Time) {
	for who, f := range l.seen {
		if now.Sub(f.since) >= l.span {
			delete(l.seen, who)
		}
	}
	if len(l.seen) >= maxAddresses {
		clear(l.seen)
	}
}

// sender is where a request comes from. A proxy says for whom it asks, and the
// last word is its own. It is the zero address if none can be made out.
func sender(r *http.Request, proxied bool) netip.Addr {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		host = r.RemoteAddr
	}
	if list := r.Header.Values("X-Forwarded-For"); proxied && len(list) > 0 {
		last := list[len(list)-1]
		host = strings.TrimSpace(last[strings.LastIndexByte(last, ',')+1:])
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return netip.Addr{}
	}
	return ip.Unmap().WithZone("")
}

// customer is who is counted as one: an address, or in IPv6 the network that one
// customer has.
func customer(ip netip.Addr) netip.Prefix {
	bits := 32
	if ip.Is6() {
		bits = 64
	}
	prefix, err := ip.Prefix(bits)
	if err != nil {
		return netip.Prefix{}
	}
	return prefix
}
