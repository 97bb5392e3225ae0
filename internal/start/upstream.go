package start

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
	"github.com/stellwerk-dev/stellwerk/internal/forges"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// upstream is where a run is fetched from and published to, if that is not
// the person's repository itself. The zero value means that it is.
type upstream struct {
	settings   config.ForgeSettings
	name       string // of the remote
	address    string // without credentials
	repository string // owner/name on the forge
	warnings   []string
}

// chooseForge settles the forge of a run. Only the person's own settings can
// name one besides the local forge: a token belongs to it.
func chooseForge(flags map[string]string) (config.ForgeSettings, error) {
	given := map[string]string{}
	for _, key := range []string{"forge", "remote", "repository"} {
		if flags[key] != "" {
			given[key] = flags[key]
		}
	}
	settings, err := config.OfPerson(given)
	if err != nil {
		return config.ForgeSettings{}, err
	}
	own, err := config.OfPerson(nil)
	if err != nil {
		return config.ForgeSettings{}, err
	}
	chosen := settings.Forge
	if !chosen.Local() && chosen.Kind.V != own.Forge.Kind.V {
		return chosen, core.Errorf(core.CodeInvalid, "your settings do not describe a forge %s", chosen.Kind.V).
			WithHint("set `forge: %s`, its address and its token in your settings, or go without", chosen.Kind.V).Offer(core.Choice{Verb: core.VerbWithLocalForge})
	}
	return chosen, chosen.Check()
}

// personalForge keeps a session from choosing where a person's token writes.
func personalForge(ctx context.Context, req api.StartRun) error {
	if req.Forge+req.Remote+req.Repository != "" && api.Speaker(ctx, req.Session).Kind == core.ActorSession {
		return core.Errorf(core.CodeForbidden, "a session cannot choose where a run is published").
			WithHint("ask the person: they can, in a terminal of their own or in their settings")
	}
	return nil
}

// begin settles the commit that the run starts from: the tip of the base branch
// on the remote, fetched now, or else in the repository itself.
func (g *ground) begin(ctx context.Context) error {
	own, err := g.yard.Resolve(ctx, yard.UpstreamHeads+g.base)
	if err != nil && !errors.Is(err, yard.ErrNotFound) {
		return err
	}
	name := g.forge.RemoteName()
	if g.far() || name == "" {
		if g.commit = own; own == "" {
			return core.Errorf(core.CodeNotFound, "the repository has no branch %q", g.base).WithHint("name one that `git branch` lists").Offer(core.Choice{Verb: core.VerbWithBase})
		}
		if !g.far() {
			return g.follow(ctx)
		}
		return g.settleFar()
	}
	if g.up, err = findUpstream(ctx, g.folder(), name, g.forge); err != nil {
		return err
	}
	g.commit, err = g.yard.FetchBranch(ctx, g.up.address, g.base)
	switch {
	case errors.Is(err, yard.ErrNotFound):
		return core.Errorf(core.CodeNotFound, "the remote %s has no branch %q", name, g.base).
			WithHint("push it, or name a branch that is there").Offer(core.Choice{Verb: core.VerbWithBase})
	case err != nil:
		return g.up.unreachable(err)
	case own == "":
		return nil
	}
	return g.compare(ctx, own)
}

// compare says which commits of the person's branch the run does without.
func (g *ground) compare(ctx context.Context, own string) error {
	contained, err := g.yard.IsAncestor(ctx, own, g.commit)
	if err != nil || contained {
		return err
	}
	ahead, err := g.yard.Log(ctx, g.commit, own)
	if err != nil {
		return err
	}
	g.up.warnings = append(g.up.warnings, fmt.Sprintf("%d commits of %s are not on %s and not part of the run: it starts from %s; push them first if it is to build on them",
		len(ahead), g.base, g.up.name, g.start()))
	return nil
}

// follow says what the person's branch does not have of the one that it follows. The
// run starts from theirs all the same: it is the one they named, and commits of
// theirs would be lost otherwise.
func (g *ground) follow(ctx context.Context) error {
	lag, err := g.yard.Lag(ctx, g.remote, g.base, g.commit)
	if err != nil || lag.Lacks == 0 {
		return err
	}
	remedy := "`git merge --ff-only " + lag.Follows + "` on it first"
	if lag.Ahead > 0 {
		remedy = "bring the two together first"
	}
	g.up.warnings = append(g.up.warnings, fmt.Sprintf("%s lacks %s of %s, as it was last fetched: the run starts from %s as it is here; %s if it is to build on them",
		g.base, wording.Count(lag.Lacks, "commit"), lag.Follows, g.base, remedy))
	return nil
}

// start names what the run starts from.
func (g *ground) start() string {
	if g.up.name == "" || g.far() {
		return g.base
	}
	return g.up.name + "/" + g.base
}

func findUpstream(ctx context.Context, dir, name string, settings config.ForgeSettings) (upstream, error) {
	up := upstream{settings: settings, name: name}
	address, stripped, err := yard.RemoteAddress(ctx, dir, name)
	if err != nil {
		return up, core.Wrap(core.CodeInvalid, err, "the remote "+name+" cannot be used", "name one that `git remote -v` lists, or go without").Offer(core.Choice{Verb: core.VerbWithLocalForge})
	}
	if up.address = address; stripped {
		up.warnings = append(up.warnings, "the address of "+name+" holds a password, which is not used: the token of the forge is")
	}
	if settings.Local() {
		return up, nil
	}
	return up, up.enter()
}

// settleFar finds the forge of a repository that is not on this machine: the
// person's, if it is on that server. Elsewhere the run goes without one.
func (g *ground) settleFar() error {
	if !g.far() {
		return nil
	}
	if g.forge.Remote.From.Level == config.LevelFlag {
		return core.Errorf(core.CodeInvalid, "%s is a remote repository and has no remotes of its own", g.remote).WithHint("name no remote")
	}
	if g.forge.Local() {
		return nil
	}
	up := upstream{settings: g.forge, name: g.remote, address: g.remote}
	if g.forge.Repository.From.Level != config.LevelFlag {
		up.settings.Repository.V = "" // the address tells
	}
	asked := g.forge.Kind.From.Level == config.LevelFlag || up.settings.Repository.V != ""
	if _, err := rest.At(g.remote, g.forge.Server().Hostname()); err != nil && !asked {
		g.up.warnings = append(g.up.warnings, fmt.Sprintf("%s is not on your forge %s: the run is published without a pull request there", g.remote, forges.Address(g.forge)))
		return nil
	}
	g.up = up
	return g.up.enter()
}

// enter finds the repository on the forge, and sees that the forge can be used.
func (u *upstream) enter() error {
	var repository rest.Repository
	var err error
	if u.settings.Repository.V != "" {
		repository, err = rest.Named(u.settings.Repository.V)
	} else {
		repository, err = rest.At(u.address, u.settings.Server().Hostname())
	}
	if err != nil {
		return core.Wrap(core.CodeInvalid, err, "cannot tell which repository on the forge this is", "").Offer(core.Choice{Verb: core.VerbWithRepository}, core.Choice{Verb: core.VerbWithLocalForge})
	}
	u.repository = repository.String()
	token, err := forges.Token(u.settings)
	if err == nil {
		_, err = forges.Connect(u.settings.Kind.V, u.settings.URL.V, u.repository, token)
	}
	if err != nil {
		return core.Wrap(core.CodeInvalid, err, "the forge cannot be used", "set the token where the engine runs: "+plain.Manual("forges.md"))
	}
	return nil
}

func (u *upstream) unreachable(err error) error {
	hint := "check the network and the address"
	if errors.Is(err, yard.ErrAuth) || errors.Is(err, yard.ErrNoRepository) {
		hint = "check the address, and that the token (or for ssh the key) may read it"
	}
	return core.Wrap(core.CodeUnavailable, err, "the remote "+u.name+" cannot be fetched", hint)
}

// admit refuses a run that could not be published, or must not be.
func (u *upstream) admit(ctx context.Context, y *yard.Yard, branch string, p *core.Playbook) error {
	if err := u.keepsToken(p); err != nil {
		return err
	}
	if m := p.Project; m != nil && m.Waves != nil && m.Waves.Writes != core.WritesCode { // nothing is ever pushed
		return nil
	}
	return u.branchFree(ctx, y, branch)
}

// branchFree refuses a branch that the remote has already.
func (u *upstream) branchFree(ctx context.Context, y *yard.Yard, branch string) error {
	if u.name == "" {
		return nil
	}
	tip, err := y.RemoteTip(ctx, u.address, "refs/heads/"+branch)
	if err != nil {
		return u.unreachable(err)
	}
	if tip != "" {
		return core.Errorf(core.CodeConflict, "the branch %s exists already on %s", branch, u.name).
			WithHint("delete it if nobody needs it, or choose another").Offer(core.Choice{Verb: core.VerbWithBranch})
	}
	return nil
}

// keepsToken refuses a playbook that would hand the forge's token to agents:
// only the engine reaches the remote.
func (u *upstream) keepsToken(p *core.Playbook) error {
	if u.repository == "" {
		return nil
	}
	for _, name := range []string{u.settings.TokenVariable(), u.settings.SecretEnv.V} {
		if name != "" && slices.Contains(p.Secrets(), name) {
			return core.Errorf(core.CodeForbidden, "the playbook %s gives its agents %s, which is a secret of the forge", p.Name, name).
				WithHint("take it out of the agent's `secrets`, or name another variable in your settings")
		}
	}
	return nil
}

// pin makes a run's own what was found.
func (u *upstream) pin(started *core.RunStarted, home string) {
	if u.name == "" {
		return
	}
	started.Remote, started.Home, started.Forge = u.address, home, u.settings.Kind.V
	if !u.settings.Local() {
		started.ForgeURL, started.Repository = strings.TrimSuffix(forges.Address(u.settings), "/"), u.repository
	}
}
