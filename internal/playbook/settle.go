package playbook

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/regex"
)

// coverageVariable stands for the run's target for test coverage, in percent, within the command of a check.
const coverageVariable = "${coverage}"

var coverageAssigned = regex.Of(`(^|[\s;&|({])coverage=`)

// clash reports a command with a variable of its own by the same name.
func clash(command string) bool {
	return strings.Contains(command, coverageVariable) && coverageAssigned().MatchString(command)
}

// Settle applies the choices of a run's start to a playbook: roles get the models of the chosen tier, optional spokes take
// part or are removed, and checks get the target for coverage. The warnings name choices without effect and checks that
// are left out. It does not change p.
func Settle(p core.Playbook, c core.Options) (core.Playbook, []string, error) {
	if err := c.Check(); err != nil {
		return core.Playbook{}, nil, err
	}
	var warnings []string
	p.Roles = maps.Clone(p.Roles)
	if c.ModelTier != "" && !settleTier(p, c.ModelTier) {
		warnings = append(warnings, fmt.Sprintf("the model tier %s has no effect: no role of the playbook %s leaves its model open", c.ModelTier, p.Name))
	}
	p.Phases = slices.Clone(p.Phases)
	designers := 0
	for i := range p.Phases {
		phase := &p.Phases[i]
		designers += settleTeam(phase, c)
		done, left, err := settleCoverage(phase.Done, "the phase "+phase.ID, c.Coverage)
		if err != nil {
			return core.Playbook{}, nil, err
		}
		phase.Done = done
		warnings = append(warnings, left...)
	}
	if p.Project != nil {
		project := *p.Project
		done, left, err := settleCoverage(project.Done, piece(p.Kind), c.Coverage)
		if err != nil {
			return core.Playbook{}, nil, err
		}
		project.Done, p.Project = done, &project
		warnings = append(warnings, left...)
	}
	if c.UIDesigner && designers == 0 {
		warnings = append(warnings, fmt.Sprintf("the UI designer has nothing to do: no team of the playbook %s has an optional place for one", p.Name))
	}
	return p, warnings, nil
}

// piece is what the checks of a project are about.
func piece(kind string) string {
	if kind == KindWaves {
		return "a delegation"
	}
	return "a step"
}

// settleTier gives the roles the models of a tier and reports whether that changed anything. A role with a model keeps it,
// unless it has tiers of its own. Programs other than Claude Code choose their models themselves.
func settleTier(p core.Playbook, tier core.Tier) (effect bool) {
	for name, r := range p.Roles {
		if p.Agents[r.Agent].Use != useClaude {
			continue
		}
		model := r.Tiers[tier]
		if open := r.Model == "" || r.Model == "inherit"; model == "" && open {
			if model = p.Tiers[tier]; model == "" {
				model = DefaultTiers()[tier]
			}
		}
		if model == "" {
			continue
		}
		r.Model = model
		p.Roles[name], effect = r, true
	}
	return effect
}

// settleTeam adds the chosen spokes and counts them.
func settleTeam(phase *core.Phase, c core.Options) (called int) {
	if phase.Team == nil {
		return 0
	}
	team := *phase.Team
	team.Spokes, team.Optional = slices.Clone(team.Spokes), nil
	for _, role := range slices.Sorted(maps.Keys(phase.Team.Optional)) {
		if c.Has(phase.Team.Optional[role]) {
			team.Spokes = append(team.Spokes, role)
			called++
		}
	}
	phase.Team = &team
	return called
}

// settleCoverage puts the target into the checks that name it. If the run has none, they are left out.
func settleCoverage(done core.Check, whose string, target int) (core.Check, []string, error) {
	if !namesCoverage(done) {
		return done, nil, nil
	}
	done, some := withCoverage(done, target)
	switch {
	case target != 0:
		return done, nil, nil
	case !some:
		return done, nil, core.Errorf(core.CodeInvalid, "only its test coverage shows that %s is done, and the run has no target for it", whose).
			WithHint("name one: --coverage 80")
	}
	return done, []string{whose + " is not held to a test coverage: the run has no target for it (--coverage)"}, nil
}

func namesCoverage(c core.Check) bool {
	return strings.Contains(c.Run, coverageVariable) || slices.ContainsFunc(c.Of, namesCoverage)
}

// withCoverage is a check with the target in the parts that name it, or without those parts if the target is 0; false if
// nothing is left of it.
func withCoverage(c core.Check, target int) (core.Check, bool) {
	if len(c.Of) == 0 {
		left := target != 0 || !namesCoverage(c)
		c.Run = strings.ReplaceAll(c.Run, coverageVariable, strconv.Itoa(target))
		return c, left
	}
	var kept []core.Check
	for _, of := range c.Of {
		if of, left := withCoverage(of, target); left {
			kept = append(kept, of)
		}
	}
	c.Of = kept
	return c, len(kept) > 0
}
