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
)

// maxGoal bounds a goal; what is longer belongs into a file of the repository.
const maxGoal = 64 << 10

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

// admission judges a run before its checks are tried: it refuses the run, or says
// that it would have to wait for its turn.
type admission func(ctx context.Context, started core.RunStarted) (waits bool, err error)

// newStart prepares the start of a run that somebody asks for now.
func (a *App) newStart(ctx context.Context, req api.StartRun, admit admission) (*start, error) {
	id, err := newRun(ctx, req)
	if err != nil {
		return nil, err
	}
	return a.prepareStart(ctx, req, id, admit)
}

// newRun refuses a request that no run can come from, and makes the run's id.
func newRun(ctx context.Context, req api.StartRun) (uuid.UUID, error) {
	if err := checkGoal(req); err != nil {
		return uuid.Nil, err
	}
	if err := personalForge(ctx, req); err != nil {
		return uuid.Nil, err
	}
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, fmt.Errorf("make a run id: %w", err)
	}
	return id, nil
}

// prepareStart settles everything about a run that can be settled before it
// begins, or says why it cannot begin. Who gets a start ends its trial.
func (a *App) prepareStart(ctx context.Context, req api.StartRun, id uuid.UUID, admit admission) (_ *start, err error) {
	s, err := a.settle(ctx, req, id)
	if err != nil {
		return nil, err
	}
	if s.untried, err = admit(ctx, s.started); err != nil { // before minutes are spent on trials
		return nil, err
	}
	defer func() {
		if err != nil {
			a.endTrial(ctx, s)
		}
	}()
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

// sessionFits refuses a session that cannot carry a run here.
func (g *ground) sessionFits(ctx context.Context, req api.StartRun) error {
	if req.Session != "" && g.far() {
		return core.Errorf(core.CodeUnsupported, "a session works in a repository on this machine, and %s is not", g.remote).
			WithHint("leave out --session")
	}
	return g.app.alone(ctx, req, g.project)
}

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
