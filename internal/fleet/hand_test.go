package fleet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strconv"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// hand executes effects by writing them into the world, and concludes them after a moment. It looks before it acts, and is
// of use to see whether two engines act: that it looks keeps nobody from acting in the same moment.
type hand struct {
	id     string
	world  world
	engine *engine.Engine
	log    *slog.Logger
	ctx    context.Context
	work   sync.WaitGroup

	mu     sync.Mutex
	flight map[string]*job
}

type job struct {
	project string
	cancel  context.CancelFunc
	asked   bool
}

func (h *hand) Prepare(*core.Run, int64, []core.Action) {}

func (h *hand) StartEpic(*core.Project, int64, *core.QueuedEpic) {}

func (h *hand) Release(project string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, j := range h.flight {
		if j.project == project {
			j.cancel()
		}
	}
}

func (h *hand) Reconcile(run *core.Run, fence int64, actions []core.Action) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range actions {
		key := fmt.Sprintf("%s %T %s", run.ID, a, core.KeyOf(a))
		if under := h.flight[key]; under != nil {
			under.asked = true
			continue
		}
		if h.ctx.Err() != nil {
			return
		}
		ctx, cancel := context.WithCancel(h.ctx)
		h.flight[key] = &job{project: run.Project, cancel: cancel}
		h.work.Go(func() {
			if err := h.execute(ctx, key, run, fence, a); err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrFenced) {
				h.log.Error("execute", "action", key, "error", err)
			}
			cancel()
			h.mu.Lock()
			again := h.flight[key].asked
			delete(h.flight, key)
			h.mu.Unlock()
			if again && h.ctx.Err() == nil {
				if err := h.engine.Poke(h.ctx, run.ID); err != nil && h.ctx.Err() == nil {
					h.log.Error("poke", "run", run.ID, "error", err)
				}
			}
		})
	}
}

func (h *hand) execute(ctx context.Context, key string, run *core.Run, fence int64, a core.Action) error {
	done := false
	acts, err := h.world.acts()
	if err != nil {
		return err
	}
	for _, act := range acts {
		done = done || act.key == key
	}
	if !done {
		select { // as long as it takes to prepare
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(30 * time.Millisecond)):
		}
		mine := false
		err := h.world.unstopped(func() error {
			if mine = h.engine.Owns(run.Project, fence); !mine {
				return nil
			}
			return h.world.add("acts", key, h.id, strconv.FormatInt(fence, 10))
		})
		if err != nil || !mine {
			return err
		}
	}
	return h.conclude(ctx, run, fence, conclusion(run, a, fmt.Sprintf("%s/%d", h.id, fence)))
}

// conclude reports an effect a moment after it, however long the store is away.
func (h *hand) conclude(ctx context.Context, run *core.Run, fence int64, body core.Body) error {
	for wait := rand.N(20 * time.Millisecond); ; wait = 20 * time.Millisecond {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		_, err := h.engine.Conclude(ctx, run.ID, fence, body)
		switch {
		case errors.Is(err, store.ErrFenced):
			return errors.Join(err, h.world.add("refusals", run.ID, h.id, string(core.TypeOf(body))))
		case err == nil, core.CodeOf(err) == core.CodeConflict, core.CodeOf(err) == core.CodeUnlawful:
			return nil
		}
	}
}

// conclusion is what comes of an effect, with who says so wherever there is room for it.
func conclusion(r *core.Run, action core.Action, by string) core.Body {
	switch a := action.(type) {
	case core.StartAttempt:
		return core.AttemptStarted{Attempt: a.Attempt, Agent: by}
	case core.WatchAttempt:
		return core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitFinished, Message: by, Delivery: &core.Delivery{Commit: "c" + a.Attempt, Tree: "t" + a.Attempt}}
	case core.StopAttempt:
		return core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitCancelled, Message: by}
	case core.Verify:
		return core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Passed: true, Results: []core.CheckResult{{Check: "c", Kind: core.CheckCommand, Passed: true, Detail: by}}}
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
