// Package start settles everything that a run is pinned to before it begins: the
// repository and its base commit, where it is published, the playbook and whether a
// person trusts it, names, limits, isolation and network, and whether its checks can
// succeed at all. It also shows what there is to start with: playbooks, roles, and a
// rehearsal. It must not decide when a run begins: who starts one hands in an Admission.
package start

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/find"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/sandbox"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// maxGoal bounds a goal; what is longer belongs into a file of the repository.
const maxGoal = 64 << 10

// Engine is what projects are registered and runs are submitted to.
type Engine interface {
	Project(ctx context.Context, id string) (*core.Project, error)
	Record(ctx context.Context, project string, actor core.Actor, body core.Body) error
	Register(ctx context.Context, body core.ProjectRegistered, row store.ProjectRow) error
	Submit(ctx context.Context, run string, actor core.Actor, body core.Body) (*core.Run, error)
}

// Store is what says which runs and projects there are.
type Store interface {
	Now(ctx context.Context) (time.Time, error)
	Run(ctx context.Context, id string) (store.RunRow, error)
	Runs(ctx context.Context, f store.Filter) ([]store.RunRow, error)
	Project(ctx context.Context, id string) (store.ProjectRow, error)
	Events(ctx context.Context, stream string, after int64, limit int) ([]core.Event, error)
}

// Trials is where the checks of a run are tried before it begins.
type Trials interface {
	NewTrial(ctx context.Context, started core.RunStarted) (*dispatch.Trial, error)
	Private() []string
	Exposed() (remark string, err error)
}

// Agents says what is known of the programs that agents are.
type Agents struct {
	Provider    func(agent string) string // where its model is; "" if that is not known
	SecretNames func(agent string) []string
	Lacks       func(agent string, lookup func(string) string) string
}

// Options are what starting runs needs.
type Options struct {
	State    string // the state folder
	Person   string // who registers projects
	Engine   Engine
	Store    Store
	Find     *find.Finder
	Yards    dispatch.Yards
	Objects  object.Objects
	Trials   Trials
	Agents   Agents
	Settings *config.Settings
	Redactor *redact.Redactor
	// Isolation is what this machine provides, and why nothing stronger.
	Isolation func() (sandbox.Kind, string)
	// Alone refuses a session that cannot own a run of a project now.
	Alone func(ctx context.Context, req api.StartRun, project string) error
	Log   *slog.Logger
}

// Starter prepares runs, and shows what there is to start them with.
type Starter struct {
	Options
	looks looks
}

// NewStarter makes a Starter.
func NewStarter(o Options) *Starter { return &Starter{Options: o} }

// Prepared is a run that is about to begin: everything it is pinned to was looked
// up and found in order.
type Prepared struct {
	Request  api.StartRun // with what it left open filled in
	Started  core.RunStarted
	Warnings []string

	ground *ground
	loaded *loaded
	// untried leaves the trial of the checks out of the preflight, for the reason why.
	untried bool
	why     string
	tell    func(what string)
	trial   *dispatch.Trial // nil if there was none
}

// Admission judges a run before its checks are tried: it refuses the run, or says
// that it would have to wait for its turn.
type Admission func(ctx context.Context, started core.RunStarted) (waits bool, err error)

// New prepares the start of a run that somebody asks for now.
func (a *Starter) New(ctx context.Context, req api.StartRun, admit Admission) (*Prepared, error) {
	id, err := newRun(ctx, req)
	if err != nil {
		return nil, err
	}
	return a.Prepare(ctx, req, id, admit)
}

// newRun refuses a request that no run can come from, and settles the run's id.
func newRun(ctx context.Context, req api.StartRun) (uuid.UUID, error) {
	if err := checkGoal(req); err != nil {
		return uuid.Nil, err
	}
	if err := personalForge(ctx, req); err != nil {
		return uuid.Nil, err
	}
	if req.ID != "" {
		id, err := uuid.Parse(req.ID)
		if err != nil {
			return uuid.Nil, core.Errorf(core.CodeInvalid, "%.80q is not the id of a run: %w", req.ID, err)
		}
		return id, nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return uuid.Nil, fmt.Errorf("make a run id: %w", err)
	}
	return id, nil
}

// Prepare settles everything about a run that can be settled before it
// begins, or says why it cannot begin. Who gets a start ends its trial.
func (a *Starter) Prepare(ctx context.Context, req api.StartRun, id uuid.UUID, admit Admission) (_ *Prepared, err error) {
	s, err := a.settle(ctx, req, id)
	if err != nil {
		return nil, err
	}
	if s.untried, err = admit(ctx, s.Started); err != nil { // before minutes are spent on trials
		return nil, err
	}
	defer func() {
		if err != nil {
			a.EndTrial(ctx, s)
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
	if err := a.trust(ctx, s.ground, s.loaded, req.Trust); err != nil {
		return nil, err
	}
	s.Request.Base = s.ground.base
	if strings.ContainsAny(s.Request.Playbook, "/.") && !filepath.IsAbs(s.Request.Playbook) {
		s.Request.Playbook = filepath.Join(req.Dir, s.Request.Playbook)
	}
	return s, nil
}

// settle finds everything that a run is pinned to. It changes nothing.
func (a *Starter) settle(ctx context.Context, req api.StartRun, id uuid.UUID) (*Prepared, error) {
	p, err := a.ground(ctx, site{req.Dir, req.Project}, req.Base, flagsOf(req))
	if err != nil {
		return nil, err
	}
	if err := p.sessionFits(ctx, req); err != nil {
		return nil, err
	}
	if req.Playbook, err = p.chosen(ctx, req.Playbook); err != nil {
		return nil, err
	}
	loaded, err := p.load(ctx, req.Playbook, flagsOf(req))
	if err != nil {
		return nil, err
	}
	if err := a.trust(ctx, p, loaded, false); err != nil && (!req.Trust || core.CodeOf(err) != core.CodeUntrusted) {
		return nil, err
	}
	if err := loaded.settle(req.Options); err != nil {
		return nil, err
	}
	started, err := a.runStarted(ctx, req, id, p, loaded)
	if err != nil {
		return nil, err
	}
	return &Prepared{
		Request: req, Started: started, ground: p, loaded: loaded, Warnings: append(loaded.warnings, p.warnings()...),
	}, nil
}

// sessionFits refuses a session that cannot carry a run here.
func (g *ground) sessionFits(ctx context.Context, req api.StartRun) error {
	if req.Session != "" && g.far() {
		return core.Errorf(core.CodeUnsupported, "a session works in a repository on this machine, and %s is not", g.remote).
			WithHint("start it without a session")
	}
	return g.starter.Alone(ctx, req, g.project)
}

func checkGoal(req api.StartRun) error {
	switch {
	case strings.TrimSpace(req.Goal) == "":
		return core.Errorf(core.CodeInvalid, "a run needs a goal").WithHint("say what is to be done, such as \"add a login page\"").Offer(core.Choice{Verb: core.VerbStart})
	case len(req.Goal) > maxGoal:
		return core.Errorf(core.CodeInvalid, "the goal has %d bytes, and the limit is %d", len(req.Goal), maxGoal).
			WithHint("put the details into a file of the repository and name it in the goal")
	}
	return nil
}
