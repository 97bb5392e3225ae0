package capacity

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// hand lets the effects of an engine take their time, and reports that they went well.
type hand struct {
	co   *company
	by   *life
	work sync.WaitGroup

	mu     sync.Mutex
	flight map[string]context.CancelFunc
	of     map[string]string // by effect: its project
}

func newHand(co *company, by *life) *hand {
	return &hand{co: co, by: by, flight: map[string]context.CancelFunc{}, of: map[string]string{}}
}

func (h *hand) Prepare(*core.Run, int64, []core.Action) {}

func (h *hand) StartEpic(*core.Project, int64, *core.QueuedEpic) {}

func (h *hand) Release(project string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for key, of := range h.of {
		if of == project {
			h.flight[key]()
		}
	}
}

func (h *hand) Reconcile(run *core.Run, fence int64, actions []core.Action) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range actions {
		key := fmt.Sprintf("%s %T %s", run.ID, a, core.KeyOf(a))
		if h.flight[key] != nil || h.by.ctx.Err() != nil {
			continue
		}
		ctx, cancel := context.WithCancel(h.by.ctx)
		h.flight[key], h.of[key] = cancel, run.Project
		h.work.Go(func() {
			h.execute(ctx, run, fence, a)
			cancel()
			h.mu.Lock()
			defer h.mu.Unlock()
			delete(h.flight, key)
			delete(h.of, key)
		})
	}
}

// execute waits as long as the effect takes, and reports it until the engine hears.
func (h *hand) execute(ctx context.Context, run *core.Run, fence int64, a core.Action) {
	takes := moment
	if _, agent := a.(core.WatchAttempt); agent {
		takes = attempt
	}
	for h.co.rest(ctx, takes) {
		_, err := h.by.engine.Conclude(ctx, run.ID, fence, conclusion(run, a))
		if err == nil || errors.Is(err, store.ErrFenced) || core.CodeOf(err) == core.CodeConflict || core.CodeOf(err) == core.CodeUnlawful {
			return
		}
		takes = time.Second
	}
}

// conclusion is what comes of an effect if all goes well.
func conclusion(r *core.Run, action core.Action) core.Body {
	switch a := action.(type) {
	case core.StartAttempt:
		return core.AttemptStarted{Attempt: a.Attempt, Agent: "agent"}
	case core.WatchAttempt:
		return core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitFinished, Delivery: &core.Delivery{Commit: "c" + a.Attempt, Tree: "t" + a.Attempt}}
	case core.StopAttempt:
		return core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitCancelled}
	case core.Verify:
		return core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Passed: true, Results: []core.CheckResult{{Check: "c", Kind: core.CheckCommand, Passed: true}}}
	case core.MoveBranch:
		return core.BranchMoved(a)
	case core.HoldRef:
		return core.RefKept(a)
	case core.Sweep:
		return core.RunSwept{}
	case core.Notify:
		return core.PersonNotified(a)
	case core.EvaluateCondition, core.PreparePublish, core.Publish, core.ReadPlan, core.WritePlan, core.Merge, core.Validate,
		core.MergeIntoBase, core.WatchPullRequest: // of other playbooks
	}
	panic(fmt.Sprintf("run %s asks for %T", r.ID, action))
}
