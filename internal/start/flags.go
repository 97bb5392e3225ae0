package start

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// flagsOf are the settings that a request names.
func flagsOf(req api.StartRun) map[string]string {
	flags := map[string]string{}
	set := func(key, value string) {
		if value != "" && value != "0" && value != "0s" {
			flags[key] = value
		}
	}
	set("isolation", req.Isolation)
	set("network.mode", req.Network)
	set("agent", req.Agent)
	set("forge", req.Forge)
	set("remote", req.Remote)
	set("repository", req.Repository)
	set("preflight", req.Preflight)
	if l := req.Limits; l != nil {
		set("limits.attempts", fmt.Sprint(l.Attempts))
		set("limits.wall_time", l.WallTime.String())
		set("limits.parallel", fmt.Sprint(l.Parallel))
		set("limits.cost_usd", fmt.Sprint(l.CostUSD))
		set("limits.tokens", fmt.Sprint(l.Tokens))
		set("limits.attempt.cost_usd", fmt.Sprint(l.Attempt.CostUSD))
		set("limits.attempt.tokens", fmt.Sprint(l.Attempt.Tokens))
	}
	return flags
}
