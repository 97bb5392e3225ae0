package resource

import "strings"

// Bounds tries what holds attempts to their memory, processes, processor and
// disk on this machine. Advice is empty unless memory or processes are only
// watched: then it says what stands in the way.
func Bounds(sandboxed bool) (found, advice string, err error) {
	g, err := probe(sandboxed)
	if err != nil {
		return "", "", err
	}
	if !g.holding.Memory.Enforced() || !g.holding.Processes.Enforced() {
		advice = "what is only watched is ended within a second of passing its limit. The kernel holds it where a systemd manager runs for " +
			"this user, or in a unit with Delegate=yes. In the way here: " + strings.ReplaceAll(strings.Join(g.why, "; "), "\n", ", ")
	}
	return g.holding.String(), advice, nil
}
