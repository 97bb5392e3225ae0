package egress

import (
	"fmt"
	"net"
	"net/netip"
	"slices"
)

// Policy is what an attempt may reach.
type Policy struct {
	Open    bool // any public host; still recorded
	Allow   []Rule
	Deny    []Rule // wins over everything
	Private []Grant

	own func() ([]net.Addr, error) // this host's own addresses; nil asks the system
}

// Refused says that the policy forbids a connection, and why.
type Refused struct {
	Host  string // canonical, or as a bounded line if it could not be read
	Port  int
	Cause string
}

// Error implements error.
func (r *Refused) Error() string {
	return fmt.Sprintf("connection to %s refused: %s", endpoint(r.Host, r.Port), r.Cause)
}

// check returns the canonical host if the list names it with the port. CheckAddress
// checks the addresses of the host. The error is a *Refused.
func (p Policy) check(host string, port int) (string, error) {
	name, err := canonical(host)
	if err != nil {
		return "", &Refused{shown(host), port, err.Error()}
	}
	if port < 1 || port > 65535 {
		return "", &Refused{name, port, "the port must be a number from 1 to 65535"}
	}
	if r, found := find(p.Deny, name, port); found {
		return "", &Refused{name, port, fmt.Sprintf("the network list denies %s", r)}
	}
	if _, found := find(p.Allow, name, port); !found && !p.Open {
		return "", &Refused{name, port, "it is not on the network list"}
	}
	return name, nil
}

// CheckAddress reports whether a host, which check let pass, may be reached at an
// address. The error is a *Refused.
func (p Policy) CheckAddress(host string, port int, a netip.Addr) error {
	name, err := canonical(host)
	if err != nil {
		return &Refused{shown(host), port, err.Error()}
	}
	if a.Zone() != "" || !a.IsValid() {
		return &Refused{name, port, "its address belongs to one network interface only"}
	}
	a = a.Unmap()
	what := classify(a)
	for _, at := range leadsTo(a) {
		if r, found := find(p.Deny, at.String(), port); found {
			return &Refused{name, port, fmt.Sprintf("it is at %s, and the network list denies %s", a, r)}
		}
		own, err := p.ours(at)
		if err != nil {
			return &Refused{name, port, err.Error()}
		}
		if own && what == "" {
			what = "an address of this machine"
		}
	}
	if what == "" {
		return nil
	}
	if p.granted(name, port, a) {
		return nil
	}
	return &Refused{name, port, fmt.Sprintf("it is at %s, %s", a, what)}
}

// granted reports whether a person granted an address. The grant of a metadata
// service or the unspecified address must name that one address: a person who
// grants a company's network does not mean them.
func (p Policy) granted(host string, port int, a netip.Addr) bool {
	return slices.ContainsFunc(p.Private, func(g Grant) bool {
		return g.covers(host, port, a) && (!special(a) || g.Range.IsSingleIP())
	})
}

func find(rules []Rule, host string, port int) (Rule, bool) {
	for _, r := range rules {
		if r.covers(host, port) {
			return r, true
		}
	}
	return Rule{}, false
}
