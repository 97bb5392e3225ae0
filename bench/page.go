package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// pageTasks is how many tasks the run has whose page is measured.
const pageTasks = 500

// runPage measures the page of a run of 500 tasks as a signed-in browser gets it
// from `stellwerk serve`: the median time until its first byte, with something
// having moved before each request, and the bytes on the wire of the page and of
// everything that it loads. The limits are absolute, and the worse of the two
// counts.
func runPage(ctx context.Context, shop *workshop) (o outcome, err error) {
	f, id, err := openManaged(ctx, shop)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	var firsts []time.Duration
	for range shop.times(40) {
		if err := f.move(ctx); err != nil {
			return o, err
		}
		a, err := f.get(ctx, "/runs/"+id)
		if err != nil {
			return o, err
		}
		firsts = append(firsts, a.first)
	}
	size, err := f.weight(ctx, "/runs/"+id)
	if err != nil {
		return o, err
	}
	first := median(firsts)
	return outcome{
		ratio:    max(first.Seconds()/0.050, float64(size)/200_000),
		measured: fmt.Sprintf("%s, %d KB", short(first), size/1000),
	}, nil
}

// openManaged serves a project whose manager has delegated 500 tasks.
func openManaged(ctx context.Context, shop *workshop) (*face, string, error) {
	started, err := feature(0)
	if err != nil {
		return nil, "", err
	}
	dir, err := shop.folder("page")
	if err != nil {
		return nil, "", err
	}
	if err := managedRun(ctx, shop, dir, "", started); err != nil {
		return nil, "", err
	}
	f, err := openFace(ctx, shop, dir)
	return f, started.Run, err
}

// managedRun leaves a paused run of 500 tasks in a state folder, or in a database
// that engines share: some are done, some were at work, and the others wait for a
// slot.
func managedRun(ctx context.Context, shop *workshop, dir, database string, started core.RunStarted) (err error) {
	l, err := openLineOn(ctx, shop, dir, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	project, err := l.project(ctx, shop, "shop")
	if err != nil {
		return err
	}
	started.Project = project.ID
	now, err := l.parts.Store.Now(ctx)
	if err != nil {
		return err
	}
	started.Limits.Parallel = 8
	h := &managedHistory{now: now.Add(-12 * time.Hour), each: 90}
	if err := h.begin(started); err != nil {
		return err
	}
	for tasks(h.run) < pageTasks {
		if err := h.step(); err != nil {
			return err
		}
	}
	if err := h.say(person(), core.RunPaused{Code: core.PausePerson, Reason: "measured", Stop: true}); err != nil {
		return err
	}
	for len(core.Effects(h.run)) > 0 {
		if err := h.say(core.Engine(), conclude(h.run, core.Effects(h.run)[0])); err != nil {
			return err
		}
	}
	_, err = l.engine.Import(ctx, started.Run, h.events)
	return err
}

func tasks(r *core.Run) int {
	n := 0
	for _, s := range r.Stages {
		n += len(s.Tasks)
	}
	return n
}

// project adds a repository.
func (l *line) project(ctx context.Context, shop *workshop, name string) (api.ProjectDetail, error) {
	dir, err := shop.folder("project")
	if err != nil {
		return api.ProjectDetail{}, err
	}
	r, err := openRepository(ctx, dir, 1, nil)
	if err != nil {
		return api.ProjectDetail{}, err
	}
	if err := r.yard.Close(); err != nil {
		return api.ProjectDetail{}, err
	}
	return l.app.Service.AddProject(asPerson(ctx), api.AddProject{Repository: r.source, Name: name})
}

// move has something happen that every page counts in: the same project is
// paused and resumed in turns.
func (f *face) move(ctx context.Context) (err error) {
	if f.moves == 0 {
		list, err := f.svc.Projects(ctx, api.ProjectQuery{})
		if err != nil || len(list) == 0 {
			return errors.Join(err, errors.New("a project is needed"))
		}
		f.moved = list[0].Name
	}
	if f.moves%2 == 0 {
		_, err = f.svc.PauseProject(ctx, f.moved, api.PauseProject{Reason: "measured"})
	} else {
		_, err = f.svc.ResumeProject(ctx, f.moved, api.ResumeProject{})
	}
	f.moves++
	return err
}

// weight is what a browser loads that comes for the first time.
func (f *face) weight(ctx context.Context, path string) (int, error) {
	a, err := f.get(ctx, path)
	if err != nil {
		return 0, err
	}
	total, html := len(a.body), a.body
	if a.gzipped {
		z, err := gzip.NewReader(bytes.NewReader(a.body))
		if err != nil {
			return 0, err
		}
		if html, err = io.ReadAll(z); err != nil {
			return 0, err
		}
	}
	loaded := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?:src|href)="(/assets/[^"#]+)"`).FindAllSubmatch(html, -1) {
		asset := string(m[1])
		if loaded[asset] {
			continue
		}
		loaded[asset] = true
		a, err := f.get(ctx, asset)
		if err != nil {
			return 0, err
		}
		total += len(a.body)
	}
	if len(loaded) == 0 {
		return 0, errors.New("the page loads nothing")
	}
	return total, nil
}
