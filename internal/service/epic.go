package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/notify"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/start"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// queues are what is known of the queues beside their events: who tends one, and
// how often an epic's start failed for a reason that may pass.
type queues struct {
	mu     sync.Mutex
	tended map[string]*sync.Mutex
	failed map[string]int // by the id of the epic's run
}

// tend is held by who tends a project's queue.
func (q *queues) tend(project string) *sync.Mutex {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.tended == nil {
		q.tended = map[string]*sync.Mutex{}
	}
	if q.tended[project] == nil {
		q.tended[project] = &sync.Mutex{}
	}
	return q.tended[project]
}

// startTries is how often an epic's start may fail for a reason that may pass. A
// look that failed is repeated when its lease has run out: after a minute.
const startTries = 5

// passes reports a failure after which the start is tried again later.
func (q *queues) passes(run string, err error) bool {
	if !errors.Is(err, yard.ErrUnreachable) && core.CodeOf(err) != core.CodeInternal && !gitFailed(err) {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.failed == nil {
		q.failed = map[string]int{}
	}
	q.failed[run]++
	return q.failed[run] < startTries
}

// gitFailed reports a command that failed for a reason of the moment, such as a
// ref that a process of a killed engine still has locked.
func gitFailed(err error) bool {
	var git *yard.CommandError
	return errors.As(err, &git) && !errors.Is(err, yard.ErrAuth)
}

// started forgets the failures of an epic that has become a run.
func (q *queues) started(run string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.failed, run)
}

// StartEpic begins a run that drives a project, or queues its goal where one is
// open. It is what a message to a project without a run comes to.
func (a *Service) StartEpic(ctx context.Context, project, goal string) (api.Run, error) {
	p, err := a.find.Project(ctx, project)
	if err != nil {
		return api.Run{}, err
	}
	return a.startRun(ctx, api.StartRun{Project: p.ID, Goal: goal, Playbook: cmp.Or(p.Playbook, playbook.Project)}, listens)
}

// queued puts a goal into its project's queue where it cannot begin now. It
// returns nil where it can.
func (a *Service) queued(ctx context.Context, p *core.Project, s *start.Prepared) (*api.Epic, error) {
	driver, err := a.driver(ctx, p.ID)
	if err != nil || s.Request.Session != "" { // which the law refuses
		return nil, err
	}
	if driver == nil && p.Still() == nil && len(p.Waiting()) == 0 {
		return nil, nil
	}
	if s.Request.NoQueue || p.Archived != nil {
		return nil, notNow(p, driver)
	}
	epic := epicOf(s)
	p, err = a.engine.Tell(ctx, p.ID, api.CallerFrom(ctx).Actor, func(p *core.Project) (core.Body, error) {
		epic.ID = core.EpicID(p.Epics + 1)
		return core.EpicQueued{Epic: epic}, nil
	})
	if err != nil {
		return nil, err
	}
	view := viewEpic(p, *p.Epic(epic.ID), driver)
	return &view, nil
}

// epicOf is what a person asked for, to be started later.
func epicOf(s *start.Prepared) core.Epic {
	return core.Epic{
		Run: s.Started.Run, Goal: s.Started.Goal, Title: s.Started.Title, Issue: s.Started.Issue,
		Playbook: s.Request.Playbook, Base: s.Request.Base, Branch: s.Request.Branch, Agent: s.Request.Agent, Isolation: s.Request.Isolation, Network: s.Request.Network,
		Forge: s.Request.Forge, Remote: s.Request.Remote, Repository: s.Request.Repository,
		Limits: s.Request.Limits, Policy: s.Started.Policy, Choices: s.Started.Choices,
		Preflight: s.Request.Preflight,
	}
}

// driver is the run that drives a project, nil where none is open.
func (a *Service) driver(ctx context.Context, project string) (*store.RunRow, error) {
	claims, err := a.store.Claims(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range claims {
		if c.Kind != core.ClaimProject || c.Key != project {
			continue
		}
		_, run := core.StreamKind(c.Holder)
		row, err := a.store.Run(ctx, run)
		return &row, err
	}
	return nil, nil
}

// notNow says why a goal cannot begin at once.
func notNow(p *core.Project, driver *store.RunRow) error {
	if err := p.Still(); err != nil {
		return err
	}
	if driver == nil {
		return core.Errorf(core.CodeConflict, "%d epics wait for their turn in project %s", len(p.Waiting()), p.Name).
			WithHint("leave out --no-queue, and the goal waits behind them")
	}
	return core.Errorf(core.CodeConflict, "the project is driven by run %s already", driver.Alias).
		WithHint("leave out --no-queue and the goal is queued, tell that run what else is wanted (`stellwerk feedback %s \"…\"`), or cancel it", driver.Alias)
}

// next starts the epic whose turn has come, and records those that cannot be
// started. It returns when one drives the project or none waits.
func (a *Service) next(ctx context.Context, project string) error {
	lock := a.queues.tend(project)
	lock.Lock()
	defer lock.Unlock()
	for ctx.Err() == nil {
		p, err := a.engine.Project(ctx, project)
		if err != nil || p == nil || p.Still() != nil || len(p.Waiting()) == 0 {
			return err
		}
		// Noted before it is looked whether the project is free, so that no end
		// of a run is missed.
		if err := a.store.Await(ctx, core.ProjectStream(project), core.ProjectClaim(project, "")); err != nil {
			return err
		}
		if more, err := a.take(ctx, p, p.Waiting()[0]); err != nil || !more {
			return err
		}
	}
	return ctx.Err()
}

// take makes an epic a run, where the project is free. It reports whether the
// queue is to be looked at again.
func (a *Service) take(ctx context.Context, p *core.Project, e core.QueuedEpic) (more bool, err error) {
	if taken, err := a.taken(ctx, p, e); err != nil || taken {
		return taken, err
	}
	if driver, err := a.driver(ctx, p.ID); err != nil || driver != nil {
		return false, err
	}
	id, err := uuid.Parse(e.Run)
	if err != nil {
		return a.refuseEpic(ctx, p, e, err)
	}
	s, err := a.start.Prepare(ctx, startOf(p, e), id, a.waits)
	if err == nil {
		defer a.start.EndTrial(ctx, s)
		more, err = a.launch(ctx, p, e, s)
	}
	switch {
	case err == nil, ctx.Err() != nil:
		return more, ctx.Err()
	case a.queues.passes(e.Run, err):
		return false, err
	}
	return a.refuseEpic(ctx, p, e, err)
}

// taken records that an epic has become a run where it has: an engine may have
// ended between the two.
func (a *Service) taken(ctx context.Context, p *core.Project, e core.QueuedEpic) (bool, error) {
	_, err := a.store.Run(ctx, e.Run)
	if errors.Is(err, store.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	a.queues.started(e.Run)
	return true, a.engine.Record(ctx, p.ID, core.Engine(), core.EpicTaken{Epic: e.ID, Run: e.Run})
}

// launch begins the epic's run, where its turn has not passed meanwhile.
func (a *Service) launch(ctx context.Context, p *core.Project, e core.QueuedEpic, s *start.Prepared) (more bool, err error) {
	a.standing.Lock()
	defer a.standing.Unlock()
	if p, err = a.engine.Project(ctx, p.ID); err != nil || p.Still() != nil || p.Place(e.ID) != 1 {
		return true, err
	}
	if driver, err := a.driver(ctx, p.ID); err != nil || driver != nil {
		return false, err
	}
	s.Started.Policy = e.Policy
	word := core.Policy(fmt.Sprintf("%s, queued by %s", e.ID, e.By))
	if _, err := a.start.Submit(ctx, s, word); err != nil {
		return false, err
	}
	return a.taken(ctx, p, e)
}

// startOf is the request that an epic stands for.
func startOf(p *core.Project, e core.QueuedEpic) api.StartRun {
	return api.StartRun{
		Project: p.ID, Goal: e.Goal, Title: e.Title, Issue: e.Issue, Playbook: e.Playbook, Base: e.Base, Branch: e.Branch,
		Agent: e.Agent, Isolation: e.Isolation, Network: e.Network, Forge: e.Forge, Remote: e.Remote, Repository: e.Repository,
		Limits: e.Limits, Choices: e.Choices, Preflight: e.Preflight,
	}
}

// refuseEpic records that an epic cannot be started, and tells a person. Those
// behind it have their turn.
func (a *Service) refuseEpic(ctx context.Context, p *core.Project, e core.QueuedEpic, why error) (more bool, err error) {
	body := core.EpicRefused{Epic: e.ID, Reason: a.redactor.String(why.Error()), Hint: core.HintOf(why)}
	err = a.engine.Record(ctx, p.ID, core.Engine(), body)
	switch core.CodeOf(err) {
	case core.CodeNotFound, core.CodeConflict: // somebody dropped it meanwhile
		return true, nil
	case "":
	default:
		return false, err
	}
	a.log.Warn("an epic cannot be started", "project", p.Name, "epic", e.ID, "reason", body.Reason)
	text := fmt.Sprintf("%s (%s of project %s): %s", e.Title, e.ID, p.Name, body.Reason)
	if err := a.outbox.Notify(ctx, notify.Notice{
		ID: fmt.Sprintf("%s/%s/%s/%d", api.WaitEpic, p.ID, e.ID, time.Now().UnixNano()), Kind: api.WaitEpic, Project: p.Name, At: time.Now(),
		Title: "an epic of " + p.Name + " cannot be started", Text: a.redactor.String(text), Next: body.Hint,
	}); err != nil {
		a.log.Error("tell a person", "error", err)
	}
	return true, nil
}
