package service

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/runfolder"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
	"github.com/stellwerk-dev/stellwerk/internal/show"
	"github.com/stellwerk-dev/stellwerk/internal/spawn"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// Runs implements api.Service.
func (a *Service) Runs(ctx context.Context, q api.RunQuery) ([]api.Run, error) {
	filter, err := a.runFilter(ctx, q)
	if err != nil {
		return nil, err
	}
	rows, err := a.store.Runs(ctx, filter)
	if err != nil {
		return nil, err
	}
	stranded, err := a.engine.Stranded(ctx)
	if err != nil {
		return nil, err
	}
	views, line := make([]api.Run, 0, len(rows)), &turns{store: a.store}
	for _, r := range rows {
		view := viewRow(r)
		if r.EndedAt == nil {
			run, err := a.working(ctx, r)
			switch {
			case unreadable(ctx, err):
				view = viewUnreadable(r, err)
			case err != nil:
				return nil, err
			default:
				view = show.Run(run)
				strand(&view, stranded)
				if err := line.run(ctx, run, &view); err != nil {
					return nil, err
				}
			}
		}
		views = append(views, view)
	}
	return views, nil
}

// runFilter is what the store is asked for.
func (a *Service) runFilter(ctx context.Context, q api.RunQuery) (store.Filter, error) {
	filter := store.Filter{Open: q.Open, Status: q.Status, Limit: q.Limit}
	if q.Dir != "" {
		var err error
		if filter.Project, err = a.find.ProjectAt(ctx, q.Dir); err != nil {
			return filter, err
		}
	}
	if q.Project != "" {
		p, err := a.find.ProjectRow(ctx, q.Project)
		if err != nil {
			return filter, err
		}
		filter.Project = p.ID
	}
	if q.Before != "" {
		run, err := a.store.Run(ctx, q.Before)
		if errors.Is(err, store.ErrNotFound) {
			return filter, core.Errorf(core.CodeNotFound, "there is no run %.80q", q.Before).WithHint("begin at the newest runs")
		}
		if err != nil {
			return filter, err
		}
		filter.Before = run.ID
	}
	return filter, nil
}

// Run implements api.Service.
func (a *Service) Run(ctx context.Context, id string) (api.RunDetail, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return api.RunDetail{}, err
	}
	d := a.detail(ctx, run)
	if err := a.inLine(ctx, run, &d); err != nil {
		return d, err
	}
	stranded, err := a.engine.Stranded(ctx)
	if err != nil {
		return d, err
	}
	strand(&d.Run, stranded)
	if d.EndedAt == nil {
		if d.Owner, err = a.owner(ctx, run.Project); err != nil {
			return d, err
		}
	}
	return d, a.adviseMerge(ctx, run, &d)
}

// inLine says of each task that waits for slots what it waits for and where it stands in the line.
func (a *Service) inLine(ctx context.Context, run *core.Run, d *api.RunDetail) error {
	line := &turns{store: a.store}
	for i, s := range run.Stages {
		for j, t := range s.Tasks {
			text, place, err := line.task(ctx, run, t)
			if err != nil {
				return err
			}
			if text != "" {
				task := &d.Stages[i].Tasks[j]
				task.Blocked, task.Place = text, place
			}
		}
	}
	return line.run(ctx, run, &d.Run)
}

// Events implements api.Service.
func (a *Service) Events(ctx context.Context, id string, after int64, limit int) ([]core.Event, error) {
	run, err := a.runID(ctx, id)
	if err != nil {
		return nil, err
	}
	if limit <= 0 || limit > 1000 {
		limit = 1000
	}
	return a.store.Events(ctx, core.RunStream(run), after, limit)
}

// Follow implements api.Service.
func (a *Service) Follow(ctx context.Context, id string, after int64, fn func(core.Event) error) error {
	run, err := a.runID(ctx, id)
	if err != nil {
		return err
	}
	return a.engine.Follow(ctx, run, after, fn)
}

// runID finds a run without folding it: people can look at any history.
func (a *Service) runID(ctx context.Context, id string) (string, error) {
	if a.engine.Holds(id) {
		return id, nil
	}
	row, err := a.find.Row(ctx, id)
	return row.ID, err
}

// Output implements api.Service.
func (a *Service) Output(ctx context.Context, id, attempt string, after int64) (api.Output, error) {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return api.Output{}, err
	}
	if strings.ContainsAny(attempt, "/\\") || strings.HasPrefix(attempt, ".") || attempt == "" {
		return api.Output{}, core.Errorf(core.CodeInvalid, "%q is no attempt", attempt).Offer(run.Choices(core.VerbStatus)...)
	}
	folder, err := a.exchange.Receive(ctx, spawn.ID{Run: run.ID, Attempt: attempt})
	if err != nil {
		return api.Output{}, err
	}
	path, over := shim.JournalPath(folder), false
	if _, err := os.Stat(folder); errors.Is(err, os.ErrNotExist) {
		over = true
		if path, err = a.keptTranscript(ctx, run.ID, attempt); err != nil {
			return api.Output{}, err
		}
		if _, err := os.Stat(path); err != nil {
			return api.Output{}, noAttempt(run, attempt)
		}
	}
	entries, err := a.tails.next(path, after+1)
	if err != nil {
		return api.Output{}, err
	}
	out := api.Output{Next: after}
	for _, e := range entries {
		record := api.Record{N: e.N, At: e.At, Kind: string(e.Record.Kind), Text: cmp.Or(e.Record.Text, e.Record.Connection.String()), Tool: e.Record.Tool}
		if len(e.Record.Input) > 0 {
			record.Input = runfolder.ShortArguments(e.Record.Input)
		}
		switch {
		case e.Record.Denied:
			record.Outcome = "denied"
		case e.Record.Error:
			record.Outcome = "error"
		}
		out.Records = append(out.Records, record)
		out.Next = e.N
	}
	_, exitErr := shim.ReadExit(folder)
	out.Done = (over || exitErr == nil) && len(entries) == 0
	return out, nil
}

// Diff implements api.Service.
func (a *Service) Diff(ctx context.Context, id string, q api.DiffQuery, w io.Writer) error {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return err
	}
	y, err := a.yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	from, to := run.BaseCommit, run.Work()
	if q.Stage != "" {
		s := run.Stage(q.Stage)
		if s == nil {
			return core.Errorf(core.CodeNotFound, "run %s has no stage %q", run.Alias, q.Stage)
		}
		if s.Base == "" {
			return core.Errorf(core.CodeConflict, "stage %s has not begun", q.Stage)
		}
		from = s.Base
		if s.Commit != "" && s.Status == core.StageDone {
			to = s.Commit
		}
	}
	if q.Stat {
		return diffStat(ctx, y, from, to, w)
	}
	clean := a.redactorOf(run.Playbook.Secrets()).Writer(w)
	_, err = y.Diff(ctx, clean, from, to, yard.DiffOptions{})
	return errors.Join(err, clean.Close())
}

// Artifact implements api.Service.
func (a *Service) Artifact(ctx context.Context, id, name string, w io.Writer) error {
	run, err := a.find.Run(ctx, id)
	if err != nil {
		return err
	}
	artifact := run.Artifact(name)
	if artifact == nil {
		return core.Errorf(core.CodeNotFound, "run %s has no accepted document %q", run.Alias, name).
			WithHint("a document is accepted when its checks pass; without a name, everything that was handed in is listed")
	}
	return a.copyDocument(ctx, artifact.Digest, w)
}

// Info implements api.Service.
func (a *Service) Info(ctx context.Context) (api.Info, error) {
	open, err := a.store.Runs(ctx, store.Filter{Open: true})
	if err != nil {
		return api.Info{}, err
	}
	kind, why := a.isolation()
	return api.Info{
		Version: a.version, State: a.state.Dir, PID: os.Getpid(),
		Isolation: string(kind), Reason: why, Runs: len(open),
	}, nil
}
