package core

import (
	"maps"
	"slices"
)

// Reach is what a playbook, a role or a stage names to be reached: presets, such as npm, and hosts with a port if it is
// not 443. None takes away what was named further up, the registries that were detected included. The zero value says
// nothing.
type Reach struct {
	None  bool     `json:"none,omitempty"`
	Names []string `json:"names,omitempty"`
}

// IsZero tells whether nothing is said.
func (r Reach) IsZero() bool { return !r.None && len(r.Names) == 0 }

// over adds what is said here to what was said further up.
func (r Reach) over(names []string) []string {
	if r.None {
		return nil
	}
	return append(slices.Clone(names), r.Names...)
}

// Reaches are the lists of a playbook. That of its attempts is widened or closed by the role and the stage.
type Reaches struct {
	Attempts Reach `json:"attempts,omitzero"`
	Setup    Reach `json:"setup,omitzero"`
	Checks   Reach `json:"checks,omitzero"`
}

// Network is what the processes of a run may connect to, as it was on the machine that the run was started on. A run
// without one was started when networks were open, and keeps that.
type Network struct {
	// Open means that the person gave the closed network up; None that only the model can be reached.
	Open bool `json:"open,omitempty"`
	None bool `json:"none,omitempty"`
	// Detected are the presets of what the project is made with. Presets says which hosts each preset stands for.
	Detected []string            `json:"detected,omitempty"`
	Presets  map[string][]string `json:"presets,omitempty"`
	// Settings make the package managers inside use those hosts. All processes of the run have them, also those that reach
	// none of the hosts: what one has fetched, the next finds under the same address.
	Settings ToolSettings `json:"settings,omitzero"`
	// Allow, Deny and Private are the person's own words: hosts for everything that works for the run, hosts for nothing,
	// and hosts that may be at a private address, with the range.
	Allow   []string `json:"allow,omitempty"`
	Deny    []string `json:"deny,omitempty"`
	Private []string `json:"private,omitempty"`
}

// ToolSettings are what package managers find in their environment and their home folder. They hold no secret.
type ToolSettings struct {
	Variables map[string]string `json:"variables,omitempty"`
	Files     map[string]string `json:"files,omitempty"` // by their path in the home folder
}

// IsZero tells whether nothing is set.
func (s ToolSettings) IsZero() bool { return len(s.Variables) == 0 && len(s.Files) == 0 }

// Add takes over what other settings say and these do not.
func (s *ToolSettings) Add(other ToolSettings) {
	s.Variables = united(s.Variables, other.Variables)
	s.Files = united(s.Files, other.Files)
}

func united(first, second map[string]string) map[string]string {
	if len(second) == 0 {
		return first
	}
	all := maps.Clone(second)
	maps.Copy(all, first)
	return all
}

// Mode is how much a run can reach: open, listed or none.
func (n *Network) Mode() string {
	switch {
	case n == nil:
		return ""
	case n.Open:
		return "open"
	case n.None:
		return "none"
	}
	return "listed"
}

// ForAttempt are the hosts that an attempt of a role in a stage may reach, besides its model.
func (n *Network) ForAttempt(p *Playbook, role, stage Reach) []string {
	if p.Network.Attempts.None || role.None || stage.None {
		return n.closed(stage.over(role.over(p.Network.Attempts.over(nil))))
	}
	return n.hosts(stage.over(role.over(p.Network.Attempts.over(n.Detected))), n.Allow)
}

// ForSetup are the hosts that the setup may reach.
func (n *Network) ForSetup(p *Playbook) []string {
	if p.Network.Setup.None {
		return nil
	}
	return n.hosts(p.Network.Setup.over(n.Detected), n.Allow)
}

// ForChecks are the hosts that checks may reach: none that were not named for them.
func (n *Network) ForChecks(p *Playbook) []string { return n.closed(p.Network.Checks.over(nil)) }

// closed are the hosts of a list that somebody closed: what was named below that, and nothing the person allows in
// general.
func (n *Network) closed(names []string) []string { return n.hosts(names, nil) }

// hosts puts the hosts of presets in their place, in an order that does not depend on who named them.
func (n *Network) hosts(names, allowed []string) []string {
	if n.None {
		return nil
	}
	found := map[string]bool{}
	for _, name := range slices.Concat(names, allowed) {
		hosts, preset := n.Presets[name]
		if !preset {
			hosts = []string{name}
		}
		for _, h := range hosts {
			found[h] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Reached are the presets and hosts that a playbook names anywhere, sorted.
func (p *Playbook) Reached() []string {
	all := []Reach{p.Network.Attempts, p.Network.Setup, p.Network.Checks}
	for _, r := range p.Roles {
		all = append(all, r.Network)
	}
	for _, phase := range p.Phases {
		all = append(all, phase.Network)
	}
	var names []string
	for _, r := range all {
		names = append(names, r.Names...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
