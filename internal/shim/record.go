package shim

import (
	"cmp"
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/egress"
)

// maxHosts bounds how many hosts an exit lists that were reached, and how many that were not; the transcript has every
// connection.
const maxHosts = 100

// record keeps every connection: in the transcript one by one, and as sums.
type record struct {
	journal *journal

	mu    sync.Mutex
	spent bool // a limit ended or refused a request to the model
	sums  agent.Traffic
	hosts map[string]*agent.HostTraffic
	kinds map[bool]int // how many hosts, by whether their first connection was allowed
}

// add takes in a connection that has ended.
func (r *record) add(c egress.Connection) {
	r.journal.add(r.journal.redactor.Redact, agent.Record{Kind: agent.KindConnection, Connection: &agent.Connection{
		Protocol: c.Protocol, Host: c.Host, Port: c.Port, Allowed: c.Allowed, Cause: c.Cause,
		Sent: c.Sent, Received: c.Received, Milliseconds: c.End.Sub(c.Start).Milliseconds(),
	}})
	r.journal.flush()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.sums.Add(c.Allowed, c.Sent, c.Received)
	host := r.host(c)
	if host == nil {
		r.sums.OtherHosts = true
		return
	}
	host.Add(c.Allowed, c.Sent, c.Received)
	host.Cause = cmp.Or(c.Cause, host.Cause)
}

// host is the sum that a connection counts for; nil if there are too many.
func (r *record) host(c egress.Connection) *agent.HostTraffic {
	name := r.journal.redactor.Redact(c.Host)
	key := net.JoinHostPort(name, strconv.Itoa(c.Port))
	if r.hosts == nil {
		r.hosts, r.kinds = map[string]*agent.HostTraffic{}, map[bool]int{}
	}
	if known := r.hosts[key]; known != nil || r.kinds[c.Allowed] == maxHosts {
		return known
	}
	r.kinds[c.Allowed]++
	r.hosts[key] = &agent.HostTraffic{Host: name, Port: c.Port}
	return r.hosts[key]
}

// traffic are the sums, hosts with refusals first.
func (r *record) traffic() *agent.Traffic {
	r.mu.Lock()
	defer r.mu.Unlock()
	sums := r.sums
	for _, host := range r.hosts {
		sums.Hosts = append(sums.Hosts, *host)
	}
	slices.SortFunc(sums.Hosts, func(a, b agent.HostTraffic) int {
		return cmp.Or(cmp.Compare(b.Refused, a.Refused), cmp.Compare(a.Host, b.Host), cmp.Compare(a.Port, b.Port))
	})
	return &sums
}
