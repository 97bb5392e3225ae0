package start

import (
	"context"
	"errors"
	"strings"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/naming"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// runStarted settles everything that a run is pinned to.
func (a *Starter) runStarted(ctx context.Context, req api.StartRun, id uuid.UUID, p *ground, loaded *loaded) (core.RunStarted, error) {
	isolation, err := a.chooseIsolation(loaded.settings, api.Speaker(ctx, req.Session).Kind == core.ActorSession)
	if err != nil {
		return core.RunStarted{}, err
	}
	if err := a.unexposed(isolation, loaded); err != nil {
		return core.RunStarted{}, err
	}
	if !p.repo.Identity.Complete() {
		return core.RunStarted{}, core.Errorf(core.CodeInvalid, "git does not know who you are, so no commit can be made").
			WithHint(`git config --global user.name "Your Name" && git config --global user.email you@example.org`)
	}
	// Branch and alias are published: they are made of what is shown, and before anything is cut off.
	req.Goal, req.Title, req.Issue = a.Redactor.String(req.Goal), a.Redactor.String(req.Title), a.Redactor.String(req.Issue)
	title := naming.Title(req.Title, req.Goal)
	branch := req.Branch
	if a.Redactor.String(branch) != branch {
		return core.RunStarted{}, core.Errorf(core.CodeInvalid, "the name of the branch contains a secret, and it would be published").
			WithHint("choose another").Offer(core.Choice{Verb: core.VerbWithBranch})
	}
	if branch == "" {
		if branch, err = p.ownBranch(ctx, req.Issue, title, id); err != nil {
			return core.RunStarted{}, err
		}
	}
	if err := p.branchFree(ctx, branch); err != nil {
		return core.RunStarted{}, err
	}
	if err := p.up.admit(ctx, p.yard, branch, loaded.playbook); err != nil {
		return core.RunStarted{}, err
	}
	network, remarks, err := p.network(ctx, loaded.playbook, isolation, loaded.settings.Network, api.Speaker(ctx, req.Session).Kind == core.ActorSession)
	if err != nil {
		return core.RunStarted{}, err
	}
	loaded.warnings = append(loaded.warnings, remarks...)
	started := core.RunStarted{
		Run: id.String(), Alias: naming.Alias(title, id), Project: p.project, Goal: req.Goal, Title: title,
		Issue: strings.TrimPrefix(req.Issue, "#"), Playbook: *loaded.playbook, Limits: loaded.settings.Limits(),
		Base: p.base, BaseCommit: p.commit, Branch: branch, Remote: p.remote, Forge: config.ForgeLocal,
		Isolation: isolation, Identity: core.Identity(p.repo.Identity), Options: req.Options,
		Session: req.Session, Conversation: req.Conversation, Network: network,
	}
	if started.Resources, err = a.resources(loaded.settings); err != nil {
		return core.RunStarted{}, err
	}
	p.up.pin(&started, p.repo.CommonDir)
	for _, phase := range started.Playbook.Phases { // the law holds tasks to what was settled here
		started.Limits.Attempts = max(started.Limits.Attempts, phase.Attempts)
	}
	if m := started.Playbook.Project; m != nil {
		started.Limits.Attempts = max(started.Limits.Attempts, m.Attempts)
	}
	if req.Yes {
		started.Policy = &core.RunPolicy{Approve: true, By: api.CallerFrom(ctx).Actor.ID}
	}
	return started, nil
}

// chooseIsolation takes what was asked for, or the strongest available. None
// must be asked for.
func (a *Starter) chooseIsolation(settings *config.Settings, session bool) (string, error) {
	want := settings.Isolation
	switch want.V {
	case config.IsolationNone:
		if session && want.From.Level == config.LevelFlag {
			return "", core.Errorf(core.CodeForbidden, "a session cannot give isolation up").
				WithHint("ask the person: they can, in a terminal of their own or with `isolation: none` in their settings")
		}
		return want.V, nil
	case config.IsolationContainer:
		return "", core.Errorf(core.CodeUnsupported, "isolation %q is not offered by this version", want.V).
			Offer(core.Choice{Verb: core.VerbWithSandbox})
	}
	if kind, why := a.Isolation(); kind != sandbox.Sandbox {
		return "", core.Errorf(core.CodeUnavailable, "agents cannot be isolated on this machine: %s", why).
			WithHint("%s; or give isolation up", sandbox.Remedy()).Offer(core.Choice{Verb: core.VerbWithoutIsolation})
	}
	return string(sandbox.Sandbox), nil
}

// unexposed refuses a run whose isolated processes would see a socket of this
// machine.
func (a *Starter) unexposed(isolation string, loaded *loaded) error {
	if isolation == string(sandbox.None) {
		return nil
	}
	remark, err := a.Trials.Exposed()
	if remark != "" {
		loaded.warnings = append(loaded.warnings, remark)
	}
	return err
}

// settle makes the playbook this run's own by what was set and chosen for it. Of
// its attempts, a flag is the person's word about this run; any other setting is a
// limit.
func (p *loaded) settle(c core.Options) error {
	set := p.settings.Attempts
	limit := func(attempts *int) {
		switch set.From.Level {
		case config.LevelFlag:
			*attempts = set.V
		case config.LevelEnvironment, config.LevelUser, config.LevelProject:
			*attempts = min(*attempts, set.V)
		case config.LevelDefault:
		}
	}
	for i := range p.playbook.Phases {
		limit(&p.playbook.Phases[i].Attempts)
	}
	if p.playbook.Project != nil {
		limit(&p.playbook.Project.Attempts)
	}
	settled, warnings, err := playbook.Settle(*p.playbook, c)
	if err != nil {
		return err
	}
	p.playbook = &settled
	p.warnings = append(p.warnings, warnings...)
	return nil
}

// branchFree refuses a branch that exists already in the person's repository.
func (g *ground) branchFree(ctx context.Context, branch string) error {
	if err := naming.CheckBranch(branch); err != nil {
		return err
	}
	if branch == g.base {
		return core.Errorf(core.CodeInvalid, "the run's branch cannot be %s, which it starts from", branch).WithHint("choose another").Offer(core.Choice{Verb: core.VerbWithBranch})
	}
	_, err := g.yard.Resolve(ctx, yard.UpstreamHeads+branch)
	if err == nil {
		return core.Errorf(core.CodeConflict, "the branch %s exists already", branch).
			WithHint("delete it if nobody needs it, or choose another").Offer(core.Choice{Verb: core.VerbWithBranch})
	}
	if !errors.Is(err, yard.ErrNotFound) {
		return err
	}
	return nil
}

// ownBranch is the branch that a run gets if the person names none. If another
// run or the repository has it already, the run's short id makes it distinct. A
// run with the same title that is still open is somebody starting it twice,
// and the engine refuses that.
func (g *ground) ownBranch(ctx context.Context, issue, title string, id uuid.UUID) (string, error) {
	name := naming.Branch(issue, title, id)
	distinct := name + "-" + naming.ShortID(id)
	err := g.branchFree(ctx, name)
	if err == nil {
		err = g.up.branchFree(ctx, g.yard, name)
	}
	if core.CodeOf(err) == core.CodeConflict {
		return distinct, nil
	}
	if err != nil {
		return "", err
	}
	open, err := g.starter.Store.Runs(ctx, store.Filter{Project: g.project, Open: true})
	for _, row := range open {
		if row.Branch == name && row.Title != title {
			return distinct, nil
		}
	}
	return name, err
}
