package resource

import "strings"

// Bounds finds out by what means this machine limits the memory, processes,
// processor and disk of attempts. If memory or processes are only watched,
// advice says why; otherwise it is empty.
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
