package shim

import (
	"errors"
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/egress"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// Network is what an attempt's processes can connect to, apart from the model. The zero value is nothing.
type Network struct {
	// Open leaves the machine's network as it is, as it always is without isolation.
	Open bool `json:"open,omitempty"`
	// Allow and Deny are hosts, as package egress reads them; Private are hosts that may be at a private address.
	Allow   []string `json:"allow,omitempty"`
	Deny    []string `json:"deny,omitempty"`
	Private []string `json:"private,omitempty"`
	// Advice tells the agent what to do about a host that is not on the list; %s is the host.
	Advice string `json:"advice,omitempty"`
}

// closed tells whether the attempt has a network of its own.
func (s Spec) closed() bool { return s.Isolation == sandbox.Sandbox && !s.Network.Open }

// policy reads the lists.
func (n Network) policy() (egress.Policy, error) {
	p := egress.Policy{Open: n.Open}
	var failed []error
	for _, text := range n.Allow {
		rule, err := egress.ParseRule(text)
		p.Allow, failed = append(p.Allow, rule), append(failed, err)
	}
	for _, text := range n.Deny {
		rule, err := egress.ParseDeny(text)
		p.Deny, failed = append(p.Deny, rule), append(failed, err)
	}
	for _, text := range n.Private {
		grant, err := egress.ParseGrant(text)
		p.Private, failed = append(p.Private, grant), append(failed, err)
	}
	if err := errors.Join(failed...); err != nil {
		return egress.Policy{}, fmt.Errorf("read what the attempt may reach: %w", err)
	}
	return p, nil
}
