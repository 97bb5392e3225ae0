package dispatch

import (
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/broker"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// Credential is where the person keeps the credential of their model, if not in the environment.
type Credential struct {
	Kind   broker.Kind
	Source shim.Source
}

// model is how the agent reaches its model: by a broker, if its provider is in the table. The names are the variables with
// credentials that the agent would get; without those of providers they are returned: no playbook gets around the broker
// by saying that its agent needs none. An agent that signs in to a cloud by itself keeps what it was given for that.
func (r attemptRoom) model(names []string) (*shim.Model, []string) {
	set := func(name string) bool { value, _ := r.d.Environ(name); return value != "" }
	others := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return set(name) && holdsCredential(name) })
	if r.taken.Session != "" || signsIn(r.def.Env) {
		return nil, others
	}
	for _, provider := range broker.Providers() {
		m := &shim.Model{Provider: provider.Name, Prices: r.d.Prices}
		m.Upstream, _ = r.d.Environ(provider.Address)
		if c := r.d.Credential; c != nil && r.d.Provider(r.def.Use) == provider.Name {
			m.Kind, m.Source = c.Kind, &c.Source
			return m, others
		}
		for _, h := range provider.Holders {
			if set(h.Variable) && slices.Contains(names, h.Variable) {
				m.Kind, m.Secret = h.Kind, h.Variable
				return m, others
			}
		}
	}
	return nil, others
}

// holdsCredential tells whether a variable is one that agents find a provider's credential in.
func holdsCredential(variable string) bool {
	return slices.ContainsFunc(broker.Providers(), func(p broker.Provider) bool {
		return slices.ContainsFunc(p.Holders, func(h broker.Holder) bool { return h.Variable == variable })
	})
}

// signsIn tells whether an agent is set up to ask a cloud for its model. Such requests are signed with the cloud's
// credentials, which a broker cannot do.
func signsIn(env map[string]string) bool {
	for name, value := range env {
		if strings.HasPrefix(name, "CLAUDE_CODE_USE_") && value != "" && value != "0" {
			return true
		}
	}
	return false
}
