package config

import (
	"errors"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/egress"
)

// What agents can reach, from the weakest to the strongest.
const (
	NetworkOpen   = "open"   // everything, as without a sandbox
	NetworkListed = "listed" // the model, and what the lists name
	NetworkNone   = "none"   // the model alone
)

// NetworkModes are what can be chosen, the usual one first.
func NetworkModes() []string { return []string{NetworkListed, NetworkNone, NetworkOpen} }

// NetworkSettings say what agents, setups and checks can reach. A repository can close the network and deny hosts; only a
// person can open it.
type NetworkSettings struct {
	Mode    Value[string]
	Allow   Value[[]string] // hosts for attempts and setups
	Deny    Value[[]string] // hosts for nobody
	Private Value[[]string] // hosts that may be at a private address: host=range
}

func (n *NetworkSettings) table() []setting {
	const opens = "it would open your network to agents"
	strictness := func(mode any) int {
		return slices.Index([]string{NetworkOpen, NetworkListed, NetworkNone}, mode.(string))
	}
	return []setting{
		word("network.mode", &n.Mode, oneOf(NetworkModes()...)).byDefault(NetworkListed).
			tightened(func(current, proposed any) bool { return strictness(proposed) < strictness(current) }),
		list("network.allow", ",", &n.Allow, allowed).joined(", ").onlyPersonal(opens),
		list("network.deny", ",", &n.Deny, denied).joined(", ").added(),
		list("network.private", ",", &n.Private, granted).joined(", ").onlyPersonal(opens),
	}
}

func allowed(text string) error {
	_, err := egress.ParseRule(text)
	return err
}

func denied(text string) error {
	_, err := egress.ParseDeny(text)
	return err
}

func granted(text string) error {
	if !strings.Contains(text, "=") {
		return errors.New("name the host and its private addresses: registry.example.com=10.2.0.0/16")
	}
	_, err := egress.ParseGrant(text)
	return err
}
