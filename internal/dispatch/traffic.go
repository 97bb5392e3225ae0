package dispatch

import (
	"net"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// maxTurned bounds the hosts that an event names; the record of connections has all.
const maxTurned = 10

// trafficOf is what an event keeps of an attempt's connections.
func trafficOf(t *agent.Traffic, clean Redactor) *core.Traffic {
	if t == nil {
		return nil
	}
	kept := &core.Traffic{Allowed: t.Allowed, Refused: t.Refused, Sent: t.Sent, Received: t.Received, Unrouted: t.Unrouted}
	for _, host := range refused(t) {
		kept.Turned = append(kept.Turned, clean.String(host))
	}
	return kept
}

// refused are hosts that were refused, with their ports, the first few of them.
func refused(t *agent.Traffic) []string {
	if t == nil {
		return nil
	}
	var hosts []string
	for _, host := range t.Hosts { // those that were refused come first
		if host.Refused == 0 || len(hosts) == maxTurned {
			break
		}
		hosts = append(hosts, net.JoinHostPort(host.Host, strconv.Itoa(host.Port)))
	}
	return hosts
}
