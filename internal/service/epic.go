package service

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/notify"
	"github.com/stellwerk-dev/stellwerk/internal/start"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

var _ dispatch.Epics = (*Service)(nil)

// queue puts a goal into its project's queue.
func (a *Service) queue(ctx context.Context, s *start.Prepared) (api.Run, error) {
	epic := epicOf(s)
	p, err := a.engine.Tell(ctx, s.Started.Project, api.CallerFrom(ctx).Actor, func(p *core.Project) (core.Body, error) {
		for _, e := range p.Queue {
			if e.Run == epic.Run { // the same was asked for before
				epic.ID = e.ID
				return nil, nil
			}
		}
		epic.ID = core.EpicID(p.Epics + 1)
		return core.EpicQueued{Epic: epic}, nil
	})
	if err != nil {
		return api.Run{}, err
	}
	return a.viewWaiting(ctx, p, *p.Epic(epic.ID))
}

// viewWaiting is the run that an epic in the queue is to become.
func (a *Service) viewWaiting(ctx context.Context, p *core.Project, e core.QueuedEpic) (api.Run, error) {
	driver, err := a.driver(ctx, p.ID)
	if err != nil {
		return api.Run{}, err
	}
	view := viewEpic(p, e, driver)
	return viewQueued(&view), nil
}

// epicOf is what a person asked for, to be started later.
func epicOf(s *start.Prepared) core.Epic {
	return core.Epic{
		Run: s.Started.Run, Goal: s.Started.Goal, Title: s.Started.Title, Issue: s.Started.Issue,
		Playbook: s.Request.Playbook, Base: s.Request.Base, Branch: s.Request.Branch, Agent: s.Request.Agent, Isolation: s.Request.Isolation, Network: s.Request.Network,
		Forge: s.Request.Forge, Remote: s.Request.Remote, Repository: s.Request.Repository,
		Limits: s.Request.Limits, Policy: s.Started.Policy, Options: s.Started.Options,
		Preflight: s.Request.Preflight,
	}
}

// driver is the run that drives a project, nil while none does.
func (a *Service) driver(ctx context.Context, project string) (*store.RunRow, error) {
	run, err := a.engine.Driver(ctx, project)
	if err != nil || run == "" {
		return nil, err
	}
	row, err := a.store.Run(ctx, run)
	return &row, err
}

// BeginEpic implements dispatch.Epics.
func (a *Service) BeginEpic(ctx context.Context, p *core.Project, e core.QueuedEpic) error {
	id, err := uuid.Parse(e.Run)
	if err != nil {
		return core.Errorf(core.CodeInvalid, "epic %s: %w", e.ID, err)
	}
	s, err := a.start.Prepare(ctx, startOf(p, e), id, a.waits)
	if err != nil {
		return err
	}
	defer a.start.EndTrial(ctx, s)
	s.Started.Policy, s.Started.Epic = e.Policy, e.ID
	_, err = a.start.Submit(ctx, s, core.Policy(fmt.Sprintf("%s, queued by %s", e.ID, e.By)))
	return err
}

// TellRefused implements dispatch.Epics.
func (a *Service) TellRefused(ctx context.Context, p *core.Project, e core.QueuedEpic) error {
	text := fmt.Sprintf("%s (%s of project %s): %s", e.Title, e.ID, p.Name, e.Refused.Reason)
	return a.outbox.Notify(ctx, notify.Notice{
		ID: fmt.Sprintf("%s/%s/%s/%d", api.WaitEpic, p.ID, e.ID, e.Refused.At.UnixNano()), Kind: api.WaitEpic, Project: p.Name, At: e.Refused.At,
		Title: "an epic of " + p.Name + " cannot be started", Text: a.redactor.String(text), Next: wording.Advice("", e.Refused.Advice),
	})
}

// startOf is the request that an epic stands for.
func startOf(p *core.Project, e core.QueuedEpic) api.StartRun {
	return api.StartRun{
		Project: p.ID, Goal: e.Goal, Title: e.Title, Issue: e.Issue, Playbook: e.Playbook, Base: e.Base, Branch: e.Branch,
		Agent: e.Agent, Isolation: e.Isolation, Network: e.Network, Forge: e.Forge, Remote: e.Remote, Repository: e.Repository,
		Limits: e.Limits, Options: e.Options, Preflight: e.Preflight,
	}
}
