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

// NetworkSettings say what agents, setups and checks can reach. A repository can close the network and deny hosts; what
// opens it is the person's.
type NetworkSettings struct {
	Mode    Value[string]
	Allow   Value[[]string] // hosts for attempts and setups
	Deny    Value[[]string] // hosts for nobody
	Private Value[[]string] // hosts that may be at a private address: host=range
}

func networkDefaults() map[string]any {
	return map[string]any{
		"network.mode": NetworkListed, "network.allow": []string(nil), "network.deny": []string(nil), "network.private": []string(nil),
	}
}

func networkTable() []setting {
	const opens = "it would open your network to agents"
	at := func(field func(*NetworkSettings) *Value[[]string]) func(*Settings) *Value[[]string] {
		return func(s *Settings) *Value[[]string] { return field(&s.Network) }
	}
	strictness := func(mode any) int {
		return slices.Index([]string{NetworkOpen, NetworkListed, NetworkNone}, mode.(string))
	}
	return []setting{
		word("network.mode", func(s *Settings) *Value[string] { return &s.Network.Mode }, oneOf(NetworkModes()...)).
			tightened(func(current, proposed any) bool { return strictness(proposed) < strictness(current) }),
		list("network.allow", ",", at(func(n *NetworkSettings) *Value[[]string] { return &n.Allow }), allowed).onlyPersonal(opens),
		list("network.deny", ",", at(func(n *NetworkSettings) *Value[[]string] { return &n.Deny }), denied).added(),
		list("network.private", ",", at(func(n *NetworkSettings) *Value[[]string] { return &n.Private }), granted).onlyPersonal(opens),
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

func (n NetworkSettings) entries() []Entry {
	return []Entry{
		{"network.mode", n.Mode.V, n.Mode.From},
		{"network.allow", strings.Join(n.Allow.V, ", "), n.Allow.From},
		{"network.deny", strings.Join(n.Deny.V, ", "), n.Deny.From},
		{"network.private", strings.Join(n.Private.V, ", "), n.Private.From},
	}
}
