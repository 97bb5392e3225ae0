package start

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Rehearse implements api.Service. It goes the way of a start as far as nothing
// changes.
func (a *Starter) Rehearse(ctx context.Context, req api.StartRun) (api.Rehearsal, error) {
	id, err := newRun(ctx, req)
	if err != nil {
		return api.Rehearsal{}, err
	}
	trusted := req.Trust
	req.Trust = true // what is not trusted is shown, and not tried
	s, err := a.settle(ctx, req, id)
	if err != nil {
		return api.Rehearsal{}, err
	}
	r := rehearsal(s)
	if err := a.trust(ctx, s.ground, s.loaded, false); err != nil {
		if core.CodeOf(err) != core.CodeUntrusted {
			return r, err
		}
		r.Untrusted = s.loaded.names()
	} else {
		trusted = true
	}
	defer a.looks.end(req.Ticket)
	defer a.EndTrial(ctx, s)
	s.untried, s.why = !trusted, "the checks of content that nobody trusts yet are not tried"
	s.tell = a.looks.teller(req.Ticket)
	switch err := a.preflight(ctx, s); {
	case core.CodeOf(err) == core.CodeUnavailable && ctx.Err() == nil:
		r.Problem = &core.Refusal{Reason: a.Redactor.String(err.Error()), Advice: core.Advice{Hint: wording.Hint(err)}}
	case err != nil:
		return r, err
	}
	r.Preflight = s.Started.Preflight
	return r, nil
}

func rehearsal(s *Prepared) api.Rehearsal {
	p := &s.Started.Playbook
	r := api.Rehearsal{
		Goal: s.Started.Goal, Title: s.Started.Title, Base: s.Started.Base, BaseCommit: s.Started.BaseCommit, Branch: s.Started.Branch,
		Remote: s.Started.Remote, Forge: s.Started.Forge, Isolation: s.Started.Isolation, Playbook: p.Name, Kind: p.Kind, Origin: p.Origin,
		Network: reachable(s.Started.Network, p), Setup: p.Setup, Caches: p.Caches, Limits: s.Started.Limits, Resources: s.Started.Resources, Warnings: s.Warnings, Stages: rehearsedStages(s.Started), Roles: []api.RehearsedRole{},
	}
	for i, stage := range r.Stages {
		r.Stages[i].Reach = reachOf(s.Started.Network, p, stage)
	}
	builtin := role.Builtin()
	for _, name := range slices.Sorted(maps.Keys(p.Roles)) {
		played := p.Roles[name]
		_, shadowed := builtin[name]
		r.Roles = append(r.Roles, api.RehearsedRole{
			Name: name, Origin: played.Origin, Agent: played.Agent, Program: programOf(p.Agents[played.Agent]), Model: played.Model,
			Text: played.Prompt, Shadows: shadowed && played.Origin != role.OriginBuiltin,
		})
	}
	return r
}

func rehearsedPhase(phase core.Phase) api.RehearsedStage {
	stage := api.RehearsedStage{
		ID: phase.ID, Title: phase.Title, When: condition(phase), Role: phase.Role, Act: phase.Act, Prompt: phase.Prompt, Gate: phase.Gate,
	}
	if phase.Team != nil {
		stage.Team = append(slices.Clone(phase.Team.Spokes), phase.Team.Hub)
	}
	for _, in := range phase.Inputs {
		name := in.Name
		if in.Files != "" {
			name = "the files of " + in.Files
		}
		stage.Inputs = append(stage.Inputs, name)
	}
	if phase.Act == "" {
		stage.Checks, stage.Attempts, stage.Timeout = check.Names(phase.Done, phase.Outputs), phase.Attempts, phase.Timeout
	}
	return stage
}

// condition says what decides whether a phase comes about; empty for one that
// always does.
func condition(phase core.Phase) string {
	const unless = "unless the approved plan leaves it out"
	switch {
	case phase.Skip:
		return "never: the playbook skips it"
	case phase.When != "" && phase.Skippable:
		return phase.When + " holds, " + unless
	case phase.When != "":
		return phase.When + " holds"
	case phase.Skippable:
		return unless
	}
	return ""
}

// programOf is what an agent starts, in a word or a line.
func programOf(def core.Agent) string {
	if len(def.Run) > 0 {
		return strings.Join(def.Run, " ")
	}
	return def.Use
}

// looks are what the preflights under way are at, by the tickets of who waits.
type looks struct {
	mu sync.Mutex
	at map[string]string
}

// teller notes what a preflight is at; nobody asks about one without a ticket.
func (l *looks) teller(ticket string) func(what string) {
	return func(what string) {
		if ticket == "" {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.at == nil {
			l.at = map[string]string{}
		}
		l.at[ticket] = what
	}
}

func (l *looks) end(ticket string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.at, ticket)
}

// Looking implements api.Service.
func (a *Starter) Looking(_ context.Context, ticket string) (api.Looking, error) {
	a.looks.mu.Lock()
	defer a.looks.mu.Unlock()
	return api.Looking{At: a.Redactor.String(a.looks.at[ticket])}, nil
}
