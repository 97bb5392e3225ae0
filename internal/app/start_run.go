package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
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
	if err := plan.settle(req.Options); err != nil {
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
