package service

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/naming"
	"github.com/stellwerk-dev/stellwerk/internal/show"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// maxProjects bounds a list that a person reads.
const maxProjects = 1000

// Projects implements api.Service.
func (a *Service) Projects(ctx context.Context, q api.ProjectQuery) ([]api.Project, error) {
	key := ""
	if q.Dir != "" {
		var err error
		if key, err = a.find.ProjectAt(ctx, q.Dir); err != nil {
			return nil, err
		}
	}
	rows, err := a.store.Projects(ctx, maxProjects)
	if err != nil {
		return nil, err
	}
	open, err := a.openRuns(ctx, key)
	if err != nil {
		return nil, err
	}
	stranded, err := a.engine.Stranded(ctx)
	if err != nil {
		return nil, err
	}
	var list []api.Project
	for _, r := range rows {
		if (q.All || key != "" || r.ArchivedAt == nil) && (key == "" || key == r.ID) {
			list = append(list, a.viewProject(r, open[r.ID], stranded))
		}
	}
	return list, nil
}

func (a *Service) viewProject(r store.ProjectRow, open []core.RunStatus, stranded map[string]engine.Stranded) api.Project {
	p := api.Project{
		ID: r.ID, Name: r.Name, Repository: r.RepoURL, Base: r.DefaultBranch, Branch: r.IntegrationBranch, Playbook: r.Playbook,
		Status: r.Status, State: projectState(r, open), Reason: r.Reason, Archived: r.ArchivedAt != nil, Epic: r.CurrentEpic, Queued: r.Queued, Refused: r.Refused,
		Tasks: r.TotalTasks, CompletedTasks: r.CompletedTasks, FailedTasks: r.FailedTasks,
		Cost: core.CostOf(r.TotalCostUSD, r.Unpriced), URL: r.PRURL, LastActivity: r.LastActivity,
	}
	if r.Paused != "" {
		p.Reason = r.Paused
	}
	if s, found := stranded[r.ID]; found {
		p.State, p.Reason = api.ProjectStranded, strandedWhy(s)
	}
	if why := a.engine.Left(r.ID); why != nil {
		p.State, p.Reason = api.ProjectUnreadable, why.Error()
	}
	return p
}

// Project implements api.Service.
func (a *Service) Project(ctx context.Context, id string) (api.ProjectDetail, error) {
	p, err := a.find.Project(ctx, id)
	if err != nil {
		return api.ProjectDetail{}, err
	}
	row, err := a.store.Project(ctx, p.ID)
	if err != nil {
		return api.ProjectDetail{}, err
	}
	open, err := a.openRuns(ctx, p.ID)
	if err != nil {
		return api.ProjectDetail{}, err
	}
	stranded, err := a.engine.Stranded(ctx)
	if err != nil {
		return api.ProjectDetail{}, err
	}
	d := api.ProjectDetail{
		Project: a.viewProject(row, open[p.ID], stranded), PullRequest: row.PRNumber, PausedBy: p.Pause, CreatedAt: row.CreatedAt, CreatedBy: row.CreatedBy,
	}
	if d.ByStatus, err = a.store.TaskCounts(ctx, p.ID); err != nil {
		return d, err
	}
	d.CompletedTasks, d.FailedTasks, d.Tasks = d.ByStatus["completed"], d.ByStatus["failed"], 0
	for _, n := range d.ByStatus {
		d.Tasks += n
	}
	if d.Owner, err = a.owner(ctx, p.ID); err != nil {
		return d, err
	}
	driver, err := a.driver(ctx, p.ID)
	if err != nil {
		return d, err
	}
	for _, e := range p.Queue {
		d.Queue = append(d.Queue, viewEpic(p, e, driver))
	}
	return d, a.addRuns(ctx, &d)
}

// addRuns adds what the runs of a project come to, and those that are open.
func (a *Service) addRuns(ctx context.Context, d *api.ProjectDetail) error {
	totals, err := a.store.RunTotals(ctx, d.ID)
	if err != nil {
		return err
	}
	d.Runs, d.Cost, d.Tokens = totals.Runs, core.CostOf(totals.CostUSD, totals.Unpriced), totals.Tokens
	if totals.UpdatedAt.After(d.LastActivity) {
		d.LastActivity = totals.UpdatedAt
	}
	rows, err := a.store.Runs(ctx, store.Filter{Project: d.ID, Open: true})
	if err != nil {
		return err
	}
	for _, row := range rows {
		run, err := a.working(ctx, row)
		if unreadable(ctx, err) {
			d.Open = append(d.Open, viewUnreadable(row, err))
			continue
		}
		if err != nil {
			return err
		}
		view := show.Run(run)
		if !run.Drives() {
			d.Open = append(d.Open, view)
			continue
		}
		d.Run, d.Limits = &view, &run.Limits
	}
	return nil
}

func viewEpic(p *core.Project, e core.QueuedEpic, driver *store.RunRow) api.Epic {
	v := api.Epic{
		ID: e.ID, Project: p.Name, Title: e.Title, Issue: e.Issue, Playbook: e.Playbook, Base: e.Base,
		Place: p.Place(e.ID), Run: e.Run, By: e.By, At: e.At, Refused: e.Refused,
	}
	if driver != nil && e.Refused == nil {
		v.Behind = driver.Alias
	}
	return v
}

// viewQueued is the run that an epic becomes, before it has.
func viewQueued(e *api.Epic) api.Run {
	if e == nil {
		return api.Run{}
	}
	id, err := uuid.Parse(e.Run)
	if err != nil {
		id = uuid.Nil // made by us, so it is one
	}
	run := api.Run{
		ID: e.Run, Alias: naming.Alias(e.Title, id), Title: e.Title, Issue: e.Issue, Status: api.StatusQueued, Cost: core.CostOf(0, 0), Base: e.Base, StartedAt: e.At, UpdatedAt: e.At, Epic: e,
		Reason: fmt.Sprintf("%s of project %s waits at place %d", e.ID, e.Project, e.Place),
	}
	if e.Refused != nil {
		run.Status, run.Reason, run.Advice = api.StatusRefused, e.Refused.Reason, requeue(*e)
		run.Next = wording.Advice("", run.Advice)
	}
	return run
}

// requeue is what a person can do about an epic that could not be started.
func requeue(e api.Epic) core.Advice {
	return core.Advice{Hint: e.Refused.Hint, Choices: append(slices.Clone(e.Refused.Choices),
		core.Choice{Verb: core.VerbRequeueEpic, Project: e.Project, Epic: e.ID}, core.Choice{Verb: core.VerbDropEpic, Project: e.Project, Epic: e.ID},
	)}
}

// refusedEpics are those of all projects that wait for a person.
func (a *Service) refusedEpics(ctx context.Context) ([]api.Waiting, error) {
	rows, err := a.store.Projects(ctx, 0)
	if err != nil {
		return nil, err
	}
	var waiting []api.Waiting
	for _, row := range rows {
		if row.Refused == 0 || row.ArchivedAt != nil {
			continue
		}
		p, err := a.engine.Project(ctx, row.ID)
		if unreadable(ctx, err) { // its runs and the list of projects say so
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, e := range p.Queue {
			if e.Refused != nil {
				view := viewEpic(p, e, nil)
				waiting = append(waiting, api.Waiting{
					Kind: api.WaitEpic, Since: e.Refused.At, Project: p.Name, Reason: "could not be started: " + e.Refused.Reason,
					Next: wording.Advice("", requeue(view)), Run: viewQueued(&view), Epic: &view,
				})
			}
		}
	}
	return waiting, nil
}
