package work_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// busy is a stage with agents at work.
func busy(id string, agents int) *core.Stage {
	s := &core.Stage{ID: id, Status: core.StageOpen}
	for range agents {
		s.Tasks = append(s.Tasks, &core.Task{Status: core.TaskRunning, Attempts: []*core.Attempt{{Status: core.AttemptRunning}}})
	}
	return s
}

// TestBounded: of what could be begun, a step begins what there is room for.
func TestBounded(t *testing.T) {
	attempt := func(task string) core.Body { return core.AttemptRequested{Task: task} }
	merge := func(task string) core.Body { return core.VerifyRequested{Task: task, Fresh: true} }
	verify := func(task string) core.Body { return core.VerifyRequested{Task: task, Attempt: task + ".a1"} }
	pause := core.Body(core.RunPaused{Code: core.PauseAttempts})
	for name, c := range map[string]struct {
		working, turning   int // agents, and those of them who manage
		parallel, projects int // limits
		said, want         []core.Body
	}{
		"all":                      {parallel: 3, said: []core.Body{attempt("a"), attempt("b")}, want: []core.Body{attempt("a"), attempt("b")}},
		"as many as are free":      {working: 1, parallel: 3, said: []core.Body{attempt("a"), attempt("b"), attempt("c")}, want: []core.Body{attempt("a"), attempt("b")}},
		"none is free":             {working: 3, parallel: 3, said: []core.Body{attempt("a"), verify("b")}, want: []core.Body{verify("b")}},
		"the project's limit":      {parallel: 3, projects: 1, said: []core.Body{attempt("a"), attempt("b")}, want: []core.Body{attempt("a")}},
		"a manager takes no place": {working: 1, turning: 1, parallel: 2, said: []core.Body{attempt("a"), attempt("b")}, want: []core.Body{attempt("a")}},
		"one merge":                {parallel: 3, said: []core.Body{merge("a"), verify("b"), merge("c")}, want: []core.Body{merge("a"), verify("b")}},
		"a pause alone":            {parallel: 3, said: []core.Body{attempt("a"), pause, attempt("b")}, want: []core.Body{pause}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &core.Run{Stages: []*core.Stage{busy("api", c.working), busy(core.ManagerStage, c.turning)}}
			if c.turning == 0 {
				r.Stages = r.Stages[:1]
			}
			r.Limits.Parallel, r.Limits.Project.Parallel = c.parallel, c.projects
			if got := work.Bounded(r, c.said); !cmp.Equal(got, c.want) {
				t.Errorf("begins %+v, want %+v", got, c.want)
			}
		})
	}
}
