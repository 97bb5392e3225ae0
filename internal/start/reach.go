package start

import (
	"context"
	"os"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/registry"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
)

// network settles what the processes of a run can connect to: the person's lists, and the hosts that the presets stand for
// on this machine, with the settings that make tools use them. The warnings name presets that stand for nothing.
func (g *ground) network(ctx context.Context, p *core.Playbook, isolation string, want config.NetworkSettings, session bool) (*core.Network, []string, error) {
	if isolation == string(sandbox.None) { // nobody could hold a process to a list
		return &core.Network{Open: true}, nil, nil
	}
	if want.Mode.V == config.NetworkOpen {
		if session && want.Mode.From.Level == config.LevelFlag {
			return nil, nil, core.Errorf(core.CodeForbidden, "a session cannot open the network").
				WithHint("ask the person: they can, in a terminal of their own or with `network: {mode: open}` in their settings")
		}
		return &core.Network{Open: true}, nil, nil
	}
	n := &core.Network{Deny: want.Deny.V, Private: want.Private.V, None: want.Mode.V == config.NetworkNone}
	if n.None {
		return n, nil, nil
	}
	files, err := g.yard.Files(ctx, g.commit)
	if err != nil {
		return nil, nil, err
	}
	names := make([]string, 0, len(files))
	for _, f := range files {
		names = append(names, f.Path)
	}
	n.Detected, n.Allow, n.Presets = registry.Detect(names), want.Allow.V, map[string][]string{}
	var warnings []string
	for _, preset := range presets(p, n.Detected) {
		answer, err := registry.Ask(ctx, preset, os.Environ())
		if err != nil {
			return nil, nil, core.Wrap(core.CodeUnavailable, err, "cannot find out which registry "+preset+" uses on this machine", "")
		}
		n.Presets[preset] = answer.Hosts
		n.Settings.Add(core.ToolSettings(answer.Settings))
		if answer.Remark != "" {
			warnings = append(warnings, answer.Remark)
		}
	}
	return n, warnings, nil
}

// reachable is what a run's setup and checks can connect to.
func reachable(n *core.Network, p *core.Playbook) api.Reachable {
	r := api.Reachable{Mode: n.Mode(), Deny: n.Deny}
	if !n.Open {
		r.Attempts, r.Setup, r.Checks = n.ForAttempt(p, core.Reach{}, core.Reach{}), n.ForSetup(p), n.ForChecks(p)
		r.Settings = n.Settings
	}
	return r
}

// reachOf is what the attempts of a stage that is to come can connect to.
func reachOf(n *core.Network, p *core.Playbook, s api.RehearsedStage) []string {
	var stage core.Reach
	if phase := p.Phase(s.ID); phase != nil {
		stage = phase.Network
	}
	if n.Open || s.Act != "" {
		return nil
	}
	return n.ForAttempt(p, p.Roles[s.Role].Network, stage)
}

// presets are those that a playbook names or that were detected.
func presets(p *core.Playbook, detected []string) []string {
	known := registry.Known()
	named := slices.DeleteFunc(p.Reached(), func(name string) bool { return !slices.Contains(known, name) })
	all := slices.Concat(named, detected)
	slices.Sort(all)
	return slices.Compact(all)
}
