package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const (
	listedRuns     = 10_000
	listedProjects = 50
	listedWaiting  = 100 // of the runs wait for a person; the others are over
)

// longList measures the first byte of the pages that tell of all runs, with
// 10,000 of them in 50 projects: the projects, one project, the list of runs and
// its last page, and the inbox. Something has moved before each request. The
// slowest page's median counts, and the limit is absolute.
func longList(ctx context.Context, shop *workshop) (o outcome, err error) {
	dir, err := shop.folder("list")
	if err != nil {
		return o, err
	}
	if err := manyRuns(ctx, shop, dir); err != nil {
		return o, err
	}
	f, err := openFace(ctx, shop, dir)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, f.close()) }()
	oldest, err := feature(listedWaiting)
	if err != nil {
		return o, err
	}
	for _, path := range []string{"/", "/projects/shop-1", "/runs", "/runs?status=cancelled", "/runs?before=" + oldest.Run, "/inbox"} {
		var all []time.Duration
		for range shop.times(20) {
			if err := f.move(ctx); err != nil {
				return o, err
			}
			a, err := f.get(ctx, path)
			if err != nil {
				return o, err
			}
			all = append(all, a.first)
		}
		if m := median(all); m.Seconds()/0.100 > o.ratio {
			o = outcome{ratio: m.Seconds() / 0.100, measured: short(m) + " for " + path}
		}
	}
	return o, nil
}

// manyRuns leaves runs of many projects in a state folder, all over but some that
// wait at a gate.
func manyRuns(ctx context.Context, shop *workshop, dir string) (err error) {
	l, err := openLine(ctx, shop, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.close()) }()
	var projects []string
	for i := range listedProjects {
		p, err := l.project(ctx, shop, fmt.Sprintf("shop-%d", i))
		if err != nil {
			return err
		}
		projects = append(projects, p.ID)
	}
	now, err := l.parts.Store.Now(ctx)
	if err != nil {
		return err
	}
	var work sync.WaitGroup
	failures := make([]error, 16) // at once, so that commits are gathered
	for w := range failures {
		work.Go(func() {
			for i := w; i < listedRuns && failures[w] == nil; i += len(failures) {
				failures[w] = l.past(ctx, i, projects[i%len(projects)], now.Add(time.Duration(i-listedRuns)*time.Minute))
			}
		})
	}
	work.Wait()
	return errors.Join(failures...)
}

// past brings in a run of a project that came to its first gate then.
func (l *line) past(ctx context.Context, n int, project string, then time.Time) error {
	started, err := feature(n)
	if err != nil {
		return err
	}
	started.Project = project
	events, err := shortHistory(started, n < listedWaiting, then)
	if err != nil {
		return err
	}
	_, err = l.engine.Import(ctx, started.Run, events)
	return err
}

// shortHistory is a run that comes to its first gate, and is cancelled there
// unless it waits.
func shortHistory(started core.RunStarted, waits bool, now time.Time) ([]core.Event, error) {
	h := &scribe{stream: core.RunStream(started.Run), head: core.Head{At: now}}
	for actor, body := person(), core.Body(started); ; actor, body = next(h.run) {
		if err := h.step(actor, body); err != nil {
			return nil, err
		}
		if len(core.Effects(h.run)) == 0 {
			break
		}
	}
	if waits {
		return h.events, nil
	}
	actor, body := person(), core.Body(core.RunCancelled{Reason: "not wanted any more"})
	for {
		if err := h.step(actor, body); err != nil {
			return nil, err
		}
		effects := core.Effects(h.run)
		if len(effects) == 0 {
			return h.events, nil
		}
		actor, body = core.Engine(), conclude(h.run, effects[0])
	}
}
