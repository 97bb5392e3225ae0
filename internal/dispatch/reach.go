package dispatch

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// Advice about a host that is not on the list: for an agent, and in the output of a setup or
// check, which its author reads.
const (
	agentAdvice = "Do without %s; if the task cannot be done without it, say so in your report. " +
		"A person can allow it, under `network` in the playbook or `network.allow` in their settings."
	setupAdvice = "A person can allow %s for the setup, under `network: {setup: […]}` in the playbook or `network.allow` in their settings."
	checkAdvice = "Checks reach nothing unless the playbook names it, under `network: {checks: [%s]}`."
)

// reach is what a process of a run can connect to, given the hosts on its list.
func reach(run *core.Run, hosts func(*core.Network) []string, advice string) shim.Network {
	n := run.Network
	if n == nil || n.Open {
		return shim.Network{Open: true}
	}
	return shim.Network{Allow: hosts(n), Deny: n.Deny, Private: n.Private, Advice: advice}
}

// reach is what the attempt can connect to in addition to its model.
func (r attemptRoom) reach() shim.Network {
	var stage core.Reach
	if phase := r.run.Playbook.Phase(r.stage.ID); phase != nil {
		stage = phase.Network
	}
	return reach(r.run, func(n *core.Network) []string { return n.ForAttempt(r.run.Playbook, r.role().Network, stage) }, agentAdvice)
}

// reach is what a command of a verification can connect to.
func (c *checkout) reach(apart bool) shim.Network {
	if apart {
		return reach(c.run, func(n *core.Network) []string { return n.ForChecks(c.run.Playbook) }, checkAdvice)
	}
	return reach(c.run, func(n *core.Network) []string { return n.ForSetup(c.run.Playbook) }, setupAdvice)
}

// settings are what the package managers of every process of a run find.
func settings(run *core.Run) shim.Settings {
	if run.Network == nil || run.Network.Open {
		return shim.Settings{}
	}
	return shim.Settings(run.Network.Settings)
}
