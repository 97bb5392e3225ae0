package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// fleetPlaybook has steps that take a known time and are merged when they are
// done.
const fleetPlaybook = `
name: bench
kind: rules
agents: {worker: {use: command, run: ["sh", "-c", "sleep %.1f && echo done > \"$STELLWERK_TASK\""]}}
roles: {dev: {agent: worker, prompt: Work.}}
steps: {role: dev, review: never, done: [{command: "true"}]}
publish: {push: standing}
`

// size is how much there is to do, and how much of it at once.
type size struct {
	projects, steps, slots int
	pause                  time.Duration // that a step takes
}

func (s size) ideal() time.Duration {
	return s.pause * time.Duration(s.projects*s.steps) / time.Duration(s.slots)
}

// fleet has many projects worked off at once in one engine, each step after the
// one before it, by agents whose time is known. Measured is the time until the
// last step is merged. The other side is the ideal schedule: the agents' time,
// spread over the slots without a gap. What a step takes of the processors, in all
// processes, is told besides: they are what engine and agents share.
func fleet(ctx context.Context, shop *workshop) (o outcome, err error) {
	n := size{projects: 50, steps: 20, slots: 8, pause: 1500 * time.Millisecond}
	if shop.quick {
		n = size{projects: 10, steps: 5, slots: 4, pause: 1500 * time.Millisecond}
	}
	s, err := openStation(ctx, shop, "fleet", fmt.Sprintf(fleetPlaybook, n.pause.Seconds()), nil)
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	repos, err := fleetRepositories(ctx, shop, n)
	if err != nil {
		return o, err
	}
	before, err := allTime()
	if err != nil {
		return o, err
	}
	began := time.Now()
	runs, err := s.startAll(ctx, repos, n.slots)
	if err != nil {
		return o, err
	}
	t := &timetable{}
	for _, run := range runs {
		if err := t.read(ctx, s, run); err != nil {
			return o, err
		}
	}
	if t.merged != n.projects*n.steps {
		return o, fmt.Errorf("%d of %d steps were merged", t.merged, n.projects*n.steps)
	}
	after, err := allTime()
	if err != nil {
		return o, err
	}
	wall, step := t.last.Sub(began), (after-before)/time.Duration(t.merged)
	return outcome{
		ratio:    float64(wall) / float64(n.ideal()),
		measured: fmt.Sprintf("%.0f s, %s of CPU a step", wall.Seconds(), short(step)),
		base:     fmt.Sprintf("%.0f s", n.ideal().Seconds()),
	}, nil
}

func fleetRepositories(ctx context.Context, shop *workshop, n size) ([]string, error) {
	var steps []core.Step
	for i := range n.steps {
		step := core.Step{ID: fmt.Sprint(i + 1), Title: fmt.Sprintf("Part %d", i+1), Text: "Write it."}
		if i > 0 {
			step.After = []string{fmt.Sprint(i)}
		}
		steps = append(steps, step)
	}
	files := map[string]string{
		".ai/plan.md": string(writePlan(steps)), ".stellwerk/playbooks/bench.yaml": fmt.Sprintf(fleetPlaybook, n.pause.Seconds()),
	}
	var repos []string
	for i := range n.projects {
		dir, err := shop.folder(fmt.Sprintf("fleet-%d", i))
		if err != nil {
			return nil, err
		}
		r, err := openRepository(ctx, dir, 1, files)
		if err != nil {
			return nil, err
		}
		if err := r.yard.Close(); err != nil {
			return nil, err
		}
		repos = append(repos, filepath.Join(dir, "source"))
	}
	return repos, nil
}

// startAll starts a run in each repository.
func (s *station) startAll(ctx context.Context, repos []string, slots int) ([]api.Run, error) {
	runs, errs := make([]api.Run, len(repos)), make([]error, len(repos))
	var work sync.WaitGroup
	for i, repo := range repos {
		work.Go(func() {
			runs[i], errs[i] = s.app.Service.StartRun(asPerson(ctx), api.StartRun{
				Dir: repo, Goal: "all of it", Playbook: "bench", Trust: true, Isolation: "none", Limits: &core.Limits{Parallel: slots},
			})
		})
	}
	work.Wait()
	return runs, errors.Join(errs...)
}

// timetable is how far the steps have come.
type timetable struct {
	merged int
	last   time.Time
}

// read follows a run until it waits for somebody to look at it.
func (t *timetable) read(ctx context.Context, s *station, run api.Run) error {
	err := s.app.Service.Follow(ctx, run.ID, 0, func(e core.Event) error {
		body, err := core.Decode(e)
		if err != nil {
			return err
		}
		switch b := body.(type) {
		case core.MergeConcluded:
			t.merged++
			if e.At.After(t.last) {
				t.last = e.At
			}
		case core.RunPaused:
			return fmt.Errorf("run %s paused: %s", run.Alias, b.Reason)
		case core.ReviewAwaited:
			return errSeen
		default:
		}
		return nil
	})
	if errors.Is(err, errSeen) {
		return nil
	}
	return err
}
