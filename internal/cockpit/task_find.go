package cockpit

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// seen is a task, with the run at the last moment that had it.
type seen struct {
	run   api.RunDetail
	stage api.Stage
	task  api.Task
	past  int64 // the event after which it was so; 0 for now
}

// findTask finds a task of a run. A run has the tasks of each stage's current round;
// those of earlier rounds are found in its history.
func (c *cockpit) findTask(ctx context.Context, run, task string) (seen, error) {
	now, err := c.svc.Run(ctx, run)
	if err != nil {
		return seen{}, err
	}
	if found, ok := taskOf(now, task); ok {
		return found, nil
	}
	moments, err := c.lastSeen(ctx, now.ID, task)
	if err != nil {
		return seen{}, err
	}
	for _, seq := range moments {
		then, err := c.svc.RunAt(ctx, now.ID, seq)
		if err != nil {
			return seen{}, err
		}
		if found, ok := taskOf(then, task); ok {
			found.past = seq
			return found, nil
		}
	}
	return seen{}, core.Errorf(core.CodeNotFound, "run %s has no task %.80q", now.Alias, task).WithHint("the run's page lists its tasks, and its timeline those of earlier rounds")
}

func taskOf(d api.RunDetail, id string) (seen, bool) {
	for _, s := range d.Stages {
		for _, t := range s.Tasks {
			if t.ID == id {
				return seen{run: d, stage: s, task: t}, true
			}
		}
	}
	return seen{}, false
}

// lastSeen are events after which a run may still have held a task, the likeliest
// first: the one before its stage was opened again, the last one before that
// which names it, and the one that admitted it.
func (c *cockpit) lastSeen(ctx context.Context, run, task string) ([]int64, error) {
	var stage string
	var admitted, named, reopened int64
	whole, part := []byte(`"`+task+`"`), []byte(`"`+task+`.`)
	for e, err := range c.history(ctx, run, 0) {
		var about struct{ Task, Stage string }
		if err == nil && (e.Type == core.TypeTaskAdmitted || e.Type == core.TypeStageOpened) {
			err = json.Unmarshal(e.Body, &about)
		}
		switch {
		case err != nil:
			return nil, err
		case e.Type == core.TypeTaskAdmitted && about.Task == task:
			stage, admitted, named, reopened = about.Stage, e.Seq, e.Seq, 0
		case stage == "" || reopened > 0:
		case e.Type == core.TypeStageOpened && about.Stage == stage:
			reopened = e.Seq
		case bytes.Contains(e.Body, whole) || bytes.Contains(e.Body, part):
			named = e.Seq
		}
	}
	moments := slices.Compact([]int64{reopened - 1, named, admitted})
	return slices.DeleteFunc(moments, func(seq int64) bool { return seq < 1 }), nil
}

// historyPage is how many events are asked for at once.
const historyPage = 1000

// history reads a run's events after one of them, oldest first.
func (c *cockpit) history(ctx context.Context, run string, after int64) iter.Seq2[core.Event, error] {
	return func(yield func(core.Event, error) bool) {
		for {
			events, err := c.svc.Events(ctx, run, after, historyPage)
			if err != nil {
				yield(core.Event{}, err)
				return
			}
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
				after = e.Seq
			}
			if len(events) == 0 {
				return
			}
		}
	}
}
