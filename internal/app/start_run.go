package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// maxGoal bounds a goal; what is longer belongs into a file of the repository.
const maxGoal = 64 << 10

// StartRun implements api.Service.
func (a *App) StartRun(ctx context.Context, req api.StartRun) (api.Run, error) {
	return a.startRun(ctx, req, anyPlaybook)
}

func anyPlaybook(*core.Playbook) error { return nil }

// startRun begins a run whose playbook fits what it is begun for.
func (a *App) startRun(ctx context.Context, req api.StartRun, fits func(*core.Playbook) error) (api.Run, error) {
	if err := checkGoal(req); err != nil {
		return api.Run{}, err
	}
	if err := personalForge(ctx, req); err != nil {
		return api.Run{}, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return api.Run{}, fmt.Errorf("make a run id: %w", err)
	}
	s, err := a.prepareStart(ctx, req, id, fits)
	if err != nil {
		return api.Run{}, err
	}
	defer a.endTrial(ctx, s)
	view, err := a.begin(ctx, s)
	view.Warnings, view.Notes = s.warnings, wording.Preflight(s.started.Preflight)
	return view, err
}

// start is a run that is about to begin: everything it is pinned to was looked
// up and found in order.
type start struct {
	req      api.StartRun // with what it left open filled in
	id       uuid.UUID
	started  core.RunStarted
	warnings []string

	ground   *ground
	plan     *plan
	settings *config.Settings
	// untried leaves the trial of the checks out of the preflight, for the reason why.
	untried bool
	why     string
	tell    func(what string)
	trial   *dispatch.Trial // nil where there was none
}

// prepareStart settles everything about a run that can be settled before it
// begins, or says why it cannot begin. Who gets a start ends its trial.
func (a *App) prepareStart(ctx context.Context, req api.StartRun, id uuid.UUID, fits func(*core.Playbook) error) (_ *start, err error) {
	s, err := a.settle(ctx, req, id)
	if err != nil {
		return nil, err
	}
	if err := fits(&s.started.Playbook); err != nil { // before minutes are spent on trials
		return nil, err
	}
	defer func() {
		if err != nil {
			a.endTrial(ctx, s)
		}
	}()
	if s.untried, err = a.waits(ctx, s); err != nil {
		return nil, err
	}
	s.why, s.tell = "it waits for its turn", a.looks.teller(req.Ticket)
	defer a.looks.end(req.Ticket)
	if err := a.preflight(ctx, s); err != nil {
		return nil, err
	}
	// A run that is refused leaves neither a project nor trust behind.
	if err := s.ground.register(ctx); err != nil {
		return nil, err
	}
	if err := a.trust(ctx, s.ground, s.plan, req.Trust); err != nil {
		return nil, err
	}
	s.req.Base = s.ground.base
	if strings.ContainsAny(s.req.Playbook, "/.") && !filepath.IsAbs(s.req.Playbook) {
		s.req.Playbook = filepath.Join(req.Dir, s.req.Playbook)
	}
	return s, nil
}

// settle finds everything that a run is pinned to. It changes nothing.
func (a *App) settle(ctx context.Context, req api.StartRun, id uuid.UUID) (*start, error) {
	chosen, err := chooseForge(flagsOf(req))
	if err != nil {
		return nil, err
	}
	p, err := a.ground(ctx, site{req.Dir, req.Project}, req.Base, chosen)
	if err != nil {
		return nil, err
	}
	if err := p.sessionFits(ctx, req); err != nil {
		return nil, err
	}
	settings, warnings, err := p.settings(ctx, flagsOf(req))
	if err != nil {
		return nil, err
	}
	if req.Playbook, err = p.chosen(ctx, req.Playbook); err != nil {
		return nil, err
	}
	plan, err := p.playbook(ctx, req.Playbook, settings)
	if err != nil {
		return nil, err
	}
	if err := a.trust(ctx, p, plan, false); err != nil && (!req.Trust || core.CodeOf(err) != core.CodeUntrusted) {
		return nil, err
	}
	plan.limitAttempts(settings.Attempts)
	if err := plan.settle(req.Choices); err != nil {
		return nil, err
	}
	started, err := a.runStarted(ctx, req, id, p, settings, plan)
	if err != nil {
		return nil, err
	}
	return &start{
		req: req, id: id, started: started, ground: p, plan: plan, settings: settings,
		warnings: append(append(warnings, plan.warnings...), p.warnings()...),
	}, nil
}

// waits reports a goal that would wait in its project's queue: its checks are
// tried when its turn comes, on what the base is then.
func (a *App) waits(ctx context.Context, s *start) (bool, error) {
	p, err := a.engine.Project(ctx, s.started.Project)
	if err != nil || p == nil || !s.started.Playbook.Drives() {
		return false, err
	}
	driver, err := a.driver(ctx, p.ID)
	waiting := p.Waiting()
	ahead := len(waiting) > 0 && waiting[0].Run != s.started.Run
	return driver != nil || ahead || p.Still() != nil, err
}

// sessionFits refuses a session that cannot carry a run here.
func (g *ground) sessionFits(ctx context.Context, req api.StartRun) error {
	if req.Session != "" && g.far() {
		return core.Errorf(core.CodeUnsupported, "a session works in a repository on this machine, and %s is not", g.remote).
			WithHint("leave out --session")
	}
	return g.app.alone(ctx, req, g.project)
}

// begin commits the start of a run, or where the project is driven already,
// that its goal waits.
func (a *App) begin(ctx context.Context, s *start) (api.Run, error) {
	a.standing.Lock()
	defer a.standing.Unlock()
	p, err := a.engine.Project(ctx, s.started.Project)
	if err != nil {
		return api.Run{}, err
	}
	if s.started.Playbook.Drives() {
		if queued, err := a.queued(ctx, p, s); err != nil || queued != nil {
			return viewQueued(queued), err
		}
	} else if err := p.Still(); err != nil {
		return api.Run{}, err
	}
	run, err := a.submit(ctx, s, speakerIn(ctx, s.req.Session))
	if err != nil {
		return api.Run{}, err
	}
	return viewRun(run), a.sessions.refresh(ctx, run.ID)
}

// CallerOf is the actor on whose word a request is carried out.
func CallerOf(ctx context.Context) core.Actor { return api.CallerFrom(ctx).Actor }

func checkGoal(req api.StartRun) error {
	switch {
	case strings.TrimSpace(req.Goal) == "":
		return core.Errorf(core.CodeInvalid, "a run needs a goal").WithHint(`say what is to be done: stellwerk run "add a login page"`)
	case len(req.Goal) > maxGoal:
		return core.Errorf(core.CodeInvalid, "the goal is %d bytes long, at most %d are possible", len(req.Goal), maxGoal).
			WithHint("put the details into a file of the repository and name it in the goal")
	}
	return nil
}

// runStarted settles everything that a run is pinned to.
func (a *App) runStarted(ctx context.Context, req api.StartRun, id uuid.UUID, p *ground, settings *config.Settings, plan *plan) (core.RunStarted, error) {
	isolation, err := a.chooseIsolation(settings, speakerIn(ctx, req.Session).Kind == core.ActorSession)
	if err != nil {
		return core.RunStarted{}, err
	}
	if !p.repo.Identity.Complete() {
		return core.RunStarted{}, core.Errorf(core.CodeInvalid, "git does not know who you are, so no commit can be made").
			WithHint(`git config --global user.name "Your Name" && git config --global user.email you@example.org`)
	}
	// Branch and alias are published: they are made of what is shown, and before anything is cut off.
	req.Goal, req.Title, req.Issue = a.redactor.String(req.Goal), a.redactor.String(req.Title), a.redactor.String(req.Issue)
	title := titleOf(req)
	branch := req.Branch
	if a.redactor.String(branch) != branch {
		return core.RunStarted{}, core.Errorf(core.CodeInvalid, "the name of the branch has a secret in it, and would be published").
			WithHint("choose another with --branch")
	}
	if branch == "" {
		if branch, err = p.ownBranch(ctx, req.Issue, title, id); err != nil {
			return core.RunStarted{}, err
		}
	}
	if err := p.branchFree(ctx, branch); err != nil {
		return core.RunStarted{}, err
	}
	if err := p.up.admit(ctx, p.yard, branch, plan.playbook); err != nil {
		return core.RunStarted{}, err
	}
	started := core.RunStarted{
		Run: id.String(), Alias: alias(title, id), Project: p.project, Goal: req.Goal, Title: title,
		Issue: strings.TrimPrefix(req.Issue, "#"), Playbook: *plan.playbook, Limits: settings.Limits(),
		Base: p.base, BaseCommit: p.commit, Branch: branch, Remote: p.remote, Forge: config.ForgeLocal,
		Isolation: isolation, Identity: core.Identity(p.repo.Identity), Choices: req.Choices,
		Session: req.Session, Conversation: req.Conversation,
	}
	p.up.pin(&started, p.repo.CommonDir)
	for _, phase := range started.Playbook.Phases { // the law holds tasks to what was settled here
		started.Limits.Attempts = max(started.Limits.Attempts, phase.Attempts)
	}
	if m := started.Playbook.Project; m != nil {
		started.Limits.Attempts = max(started.Limits.Attempts, m.Attempts)
	}
	if req.Yes {
		started.Policy = &core.RunPolicy{Approve: true, By: CallerOf(ctx).ID}
	}
	return started, nil
}

// chooseIsolation takes what was asked for, or the strongest available. None
// must be asked for.
func (a *App) chooseIsolation(settings *config.Settings, session bool) (string, error) {
	want := settings.Isolation
	switch want.V {
	case config.IsolationNone:
		if session && want.From.Level == config.LevelFlag {
			return "", core.Errorf(core.CodeForbidden, "a session cannot give isolation up").
				WithHint("the person does that: in a terminal of their own, or with `isolation: none` in their settings")
		}
		return want.V, nil
	case config.IsolationContainer:
		return "", core.Errorf(core.CodeUnsupported, "isolation %q is not offered by this version", want.V).
			WithHint("use --isolation sandbox")
	}
	if kind, why := a.isolation(); kind != sandbox.Sandbox {
		return "", core.Errorf(core.CodeUnavailable, "agents cannot be isolated on this machine: %s", why).
			WithHint("install bubblewrap (Debian: apt install bubblewrap), or give isolation up with --isolation none")
	}
	return string(sandbox.Sandbox), nil
}

// limitAttempts holds the playbook to the attempts that were set: a flag is the
// person's word about this run, any other setting is a limit.
func (p *plan) limitAttempts(set config.Value[int]) {
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
}

// settle makes the playbook this run's own by what was chosen for it.
func (p *plan) settle(c core.Choices) error {
	settled, warnings, err := playbook.Settle(*p.playbook, c)
	if err != nil {
		return err
	}
	p.playbook = &settled
	p.warnings = append(p.warnings, warnings...)
	return nil
}

// flagsOf are the settings that a request names.
func flagsOf(req api.StartRun) map[string]string {
	flags := map[string]string{}
	set := func(key, value string) {
		if value != "" && value != "0" && value != "0s" {
			flags[key] = value
		}
	}
	set("isolation", req.Isolation)
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
	}
	return flags
}

// steeringFiles are what the person and a repository's settings add to the files whose change is named.
func steeringFiles(repository []byte) ([]string, error) {
	s, _, err := loadSettings(nil, config.File{Name: config.ProjectFile, Data: repository})
	if err != nil {
		return nil, err
	}
	return s.Steering.V, nil
}

// userSettings settles what holds by the person's own word, given flags.
func userSettings(flags map[string]string) (*config.Settings, error) {
	s, _, err := loadSettings(flags, config.File{})
	return s, err
}

func loadSettings(flags map[string]string, project config.File) (*config.Settings, []string, error) {
	name, err := config.UserFile(os.Getenv)
	if err != nil {
		return nil, nil, err
	}
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, nil, core.Wrap(core.CodeUnavailable, err, "your settings cannot be read", "check "+name)
	}
	s, warnings, err := config.Load(config.Input{Flags: flags, Env: os.LookupEnv, User: config.File{Name: name, Data: data}, Project: project})
	texts := make([]string, 0, len(warnings))
	for _, w := range warnings {
		texts = append(texts, w.String())
	}
	return s, texts, err
}

// branchFree refuses a branch that exists already in the person's repository.
func (g *ground) branchFree(ctx context.Context, branch string) error {
	if err := checkBranch(branch); err != nil {
		return err
	}
	if branch == g.base {
		return core.Errorf(core.CodeInvalid, "the run's branch cannot be %s, which it starts from", branch).WithHint("choose another with --branch")
	}
	_, err := g.yard.Resolve(ctx, yard.UpstreamHeads+branch)
	if err == nil {
		return core.Errorf(core.CodeConflict, "the branch %s exists already", branch).
			WithHint("choose another with --branch, or delete it if it is not needed")
	}
	if !errors.Is(err, yard.ErrNotFound) {
		return err
	}
	return nil
}
