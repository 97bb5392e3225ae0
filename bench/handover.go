package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/shim"
)

// managedPlaybook has a manager that does nothing and a worker that hands in a
// page: the bench delegates in the manager's place.
const managedPlaybook = `
name: bench
kind: manager
agents: {idle: {use: command, run: ["true"]}, writer: {use: command, run: ["sh", "-c", "echo done > $STELLWERK_OUT/note.md"]}}
roles: {boss: {agent: idle, prompt: Manage.}, dev: {agent: writer, prompt: Work.}}
manager: {role: boss}
steps: {role: dev}
`

const managedPlan = "# Plan: notes\n\n## Steps\n\n### [ ] 1. Write notes\n\nWrite them.\n"

// handover measures the time from the end of a worker, when its supervisor has
// collected what it left, until the process beside the manager has been started:
// the end is put on disk and noticed, what was handed in is taken over, verified,
// and the turn is decided. The
// time of the checks is apart. The other side is one step of the engine with all
// that follows from it: from the delegation of that work to the start of the
// process beside its worker. Both lay out a place to work in, the one a clone, the
// other the plan's documents.
func handover(ctx context.Context, shop *workshop) (o outcome, err error) {
	s, err := openStation(ctx, shop, "handover", managedPlaybook, map[string]string{".ai/plan.md": managedPlan})
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	run, err := s.run(ctx, "write notes")
	if err != nil {
		return o, err
	}
	if m := <-s.spawner.started; m.err != nil {
		return o, m.err
	}
	seq, err := s.turned(ctx, run.ID, 0)
	if err != nil {
		return o, err
	}
	var gaps, steps []time.Duration
	for n := range shop.times(60) {
		step, gap, next, err := s.delegate(ctx, run.ID, n+1, seq)
		if err != nil {
			return o, err
		}
		gaps, steps, seq = append(gaps, gap), append(steps, step), next
	}
	m, b := median(gaps), median(steps)
	return outcome{ratio: float64(m) / float64(b), measured: short(m), base: short(b)}, nil
}

// delegate has one piece of work done. It returns how long its worker took to
// start, and how long the manager did after the worker's end.
func (s *station) delegate(ctx context.Context, run string, n int, seq int64) (step, gap time.Duration, next int64, err error) {
	began := time.Now()
	work, err := s.app.Service.Delegate(asPerson(ctx), run, core.Proposal{Prompt: fmt.Sprintf("Write note %d.", n), Outputs: []string{"note.md"}})
	if err != nil {
		return 0, 0, 0, err
	}
	worker, manager := <-s.spawner.started, <-s.spawner.started
	if err := errors.Join(worker.err, manager.err); err != nil {
		return 0, 0, 0, err
	}
	task := core.TaskID(work.Line, 1, "")
	folder := dispatch.Layout{State: s.state}.Attempt(run, core.AttemptID(task, 1))
	exit, err := shim.ReadExit(folder)
	if err != nil {
		return 0, 0, 0, err
	}
	checks, err := s.checked(ctx, run, seq, task)
	if err != nil {
		return 0, 0, 0, err
	}
	next, err = s.turned(ctx, run, seq)
	return worker.at.Sub(began), manager.at.Sub(exit.EndedAt) - checks, next, err
}

// checked is how long the checks of a task took.
func (s *station) checked(ctx context.Context, run string, after int64, task string) (time.Duration, error) {
	asked, err := s.await(ctx, run, after, core.TypeVerifyRequested)
	if err != nil {
		return 0, err
	}
	told, err := s.await(ctx, run, asked.Seq, core.TypeVerifyConcluded)
	if err != nil {
		return 0, err
	}
	body, err := core.Decode(told)
	if err != nil {
		return 0, err
	}
	if v, ok := body.(core.VerifyConcluded); !ok || v.Task != task || !v.Passed {
		return 0, fmt.Errorf("%s was to be verified, got %s", task, told.Body)
	}
	return told.At.Sub(asked.At), nil
}

// turned waits until a turn of the manager has ended.
func (s *station) turned(ctx context.Context, run string, after int64) (int64, error) {
	for {
		passed, err := s.await(ctx, run, after, core.TypeStagePassed)
		if err != nil {
			return 0, err
		}
		after = passed.Seq
		body, err := core.Decode(passed)
		if err != nil {
			return 0, err
		}
		if b, ok := body.(core.StagePassed); ok && b.Stage == core.ManagerStage {
			return after, nil
		}
	}
}
