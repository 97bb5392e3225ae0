package engine

import (
	"context"
	"errors"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// adoptAtOnce is how many projects are taken up side by side.
const adoptAtOnce = 4

// adopt takes up what is under way in projects that this engine has come to own. An engine that starts
// answers nobody before, so what the store can say of all projects is asked once. What cannot be read now is taken up
// with the next renewal of the lease.
func (e *Engine) adopt(ctx context.Context, projects []string) {
	if len(projects) == 0 {
		return
	}
	open, err := e.openRuns(ctx, projects)
	if err != nil {
		e.owned.miss(projects...)
		e.fault(ctx, "look at the open runs of projects", err)
		return
	}
	tended, err := e.tended(ctx, projects)
	if err != nil {
		e.owned.miss(projects...)
		e.fault(ctx, "look at projects", err)
		return
	}
	var work sync.WaitGroup
	defer work.Wait()
	places := make(chan struct{}, adoptAtOnce)
	for _, project := range projects {
		places <- struct{}{}
		work.Go(func() {
			defer func() { <-places }()
			e.adoptOne(ctx, project, open[project])
			if !tended[project] {
				return
			}
			if err := e.Tend(ctx, project); err != nil && !errors.Is(err, core.ErrUnreadable) {
				e.fault(ctx, "look at a project", err, "project", project)
			}
		})
	}
}

// adoptEach is adopt for some of many projects. What the store can say of all of them would be asked for each lot.
func (e *Engine) adoptEach(ctx context.Context, projects []string) {
	var work errgroup.Group
	work.SetLimit(adoptAtOnce)
	for _, project := range projects {
		work.Go(func() error { e.adopt(ctx, []string{project}); return nil })
	}
	_ = work.Wait() // what fails is taken up later
}

// adoptOne hands out what the open runs of a project ask for. All of them are read first, even if
// they are in memory, because another engine may have moved them.
func (e *Engine) adoptOne(ctx context.Context, project string, open []store.RunRow) {
	if len(open) == 0 {
		return
	}
	if err := e.readThrough(ctx, project, open); err != nil {
		e.owned.miss(project)
		e.fault(ctx, "look through a project", err, "project", project)
		return
	}
	if e.Left(project) != nil { // which is said of the project
		return
	}
	for _, run := range open {
		if err := e.handOut(ctx, run.ID, e.load); err != nil && !errors.Is(err, core.ErrUnreadable) {
			e.fault(ctx, "look at an open run", err, "run", run.Alias)
		}
	}
}

// openRuns lists the open runs of projects.
func (e *Engine) openRuns(ctx context.Context, projects []string) (map[string][]store.RunRow, error) {
	which := store.Filter{Open: true}
	if len(projects) == 1 {
		which.Project = projects[0]
	}
	rows, err := e.store.Runs(ctx, which)
	open := map[string][]store.RunRow{}
	for _, row := range rows {
		open[row.Project] = append(open[row.Project], row)
	}
	return open, err
}

// tended tells which projects there is something to be seen to in: epics that wait, or a pause. One that is not
// registered has neither.
func (e *Engine) tended(ctx context.Context, projects []string) (map[string]bool, error) {
	var rows []store.ProjectRow
	var err error
	if len(projects) == 1 {
		rows = make([]store.ProjectRow, 1)
		if rows[0], err = e.store.Project(ctx, projects[0]); errors.Is(err, store.ErrNotFound) {
			return nil, nil
		}
	} else {
		rows, err = e.store.Projects(ctx, 0)
	}
	wanted := map[string]bool{}
	for _, row := range rows {
		wanted[row.ID] = row.Queued > 0 || row.Paused != ""
	}
	return wanted, err
}

// named are the projects of owners.
func named(owned []store.Owner) []string {
	projects := make([]string, len(owned))
	for i, p := range owned {
		projects[i] = p.Project
	}
	return projects
}
