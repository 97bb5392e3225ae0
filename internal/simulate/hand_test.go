package simulate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// hand executes the effects of an engine by recording them in the world, and concludes them after a while. It looks before
// it acts, as dispatch does; that it looks keeps nobody from acting in the same moment.
type hand struct {
	sim  *sim
	by   *member
	ctx  context.Context
	work sync.WaitGroup

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
		key := effect(run.ID, a)
		if under := h.flight[key]; under != nil {
			under.asked = true
			continue
		}
		if h.ctx.Err() != nil {
			return
		}
		ctx, cancel := context.WithCancel(context.WithValue(h.ctx, who{}, key))
		h.flight[key] = &job{project: run.Project, cancel: cancel}
		h.work.Go(func() {
			h.execute(ctx, key, run, fence, a)
			cancel()
			h.mu.Lock()
			again := h.flight[key].asked
			delete(h.flight, key)
			h.mu.Unlock()
			again = again && h.sleep(h.ctx, h.sim.draw("again "+key, 50*time.Millisecond)) // no two at once
			for again && h.by.engine.Poke(context.WithValue(h.ctx, who{}, "again "+key), run.ID) != nil && h.sleep(h.ctx, h.again(key)) {
			}
		})
	}
}

// effect is what an effect is known by to everybody.
func effect(run string, a core.Action) string { return fmt.Sprintf("%s %T %s", run, a, core.KeyOf(a)) }

func (h *hand) execute(ctx context.Context, key string, run *core.Run, fence int64, action core.Action) {
	if w, ok := action.(core.WatchAttempt); ok {
		if h.sleep(ctx, time.Until(h.sim.ends(run.ID, w.Attempt))) {
			h.conclude(ctx, key, run, fence, action)
		}
		return
	}
	if !h.sim.did(key) {
		if !h.sleep(ctx, h.sim.draw(key+h.by.id, 300*time.Millisecond)) { // as long as it takes to prepare
			return
		}
		if h.sim.gate.pass(ctx, h.by, false, "act "+key) != nil || !h.by.engine.Owns(run.Project, fence) {
			return
		}
		h.sim.act(key, h.by.id, fence, run, action)
	}
	h.conclude(ctx, key, run, fence, action)
}

// conclude reports an effect a moment after it, however long the store is away.
func (h *hand) conclude(ctx context.Context, key string, run *core.Run, fence int64, action core.Action) {
	body := h.sim.conclusion(run, action, fmt.Sprintf("%s/%d", h.by.id, fence))
	if exit, ok := body.(core.AttemptExited); ok && exit.Delivery != nil && !h.pack(ctx, key, exit.Delivery) {
		return
	}
	for wait := h.sim.draw("conclude "+key, 500*time.Millisecond); h.sleep(ctx, wait); wait = h.again(key) {
		state, err := h.by.engine.Conclude(ctx, run.ID, fence, body)
		switch {
		case err == nil:
			h.sim.acknowledge(state)
			return
		case errors.Is(err, store.ErrFenced), core.CodeOf(err) == core.CodeConflict, core.CodeOf(err) == core.CodeUnlawful:
			return
		}
	}
}

// pack keeps what an attempt hands in, before an event names it; false if the engine gives up meanwhile.
func (h *hand) pack(ctx context.Context, key string, d *core.Delivery) bool {
	for {
		var err error
		content, _ := packOf(int(h.sim.draw("pack "+key, contents)))
		if d.Pack, _, err = (&shelf{by: h.by, sim: h.sim}).Put(ctx, strings.NewReader(content), 0); err == nil {
			return true
		}
		if !h.sleep(ctx, h.again(key)) {
			return false
		}
	}
}

// again is how long an effect waits for a store that was away. No two wait equally long, or those that heard of it in one
// moment would come back in one, in whatever order.
func (h *hand) again(key string) time.Duration {
	return time.Second + h.sim.draw("once more "+key, 50*time.Millisecond)
}

// sleep waits in virtual time; false if the engine gives up meanwhile.
func (h *hand) sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// conclusion is what comes of an effect: the same, whoever reports it, but for who says so.
func (s *sim) conclusion(r *core.Run, action core.Action, by string) core.Body {
	switch a := action.(type) {
	case core.StartAttempt:
		return core.AttemptStarted{Attempt: a.Attempt, Agent: by}
	case core.WatchAttempt:
		exit := core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitFinished, Message: by, Delivery: &core.Delivery{Commit: "c" + a.Attempt, Tree: "t" + a.Attempt}}
		switch int(s.draw("exit "+r.ID+a.Attempt, 10)) {
		case 0:
			exit.Kind, exit.Delivery = core.ExitLost, nil
		case 1:
			exit.Kind, exit.Delivery = core.ExitFailed, nil
		}
		return exit
	case core.StopAttempt:
		return core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitCancelled, Message: by}
	case core.Verify:
		passed := s.draw("verify "+r.ID+a.Attempt, 4) > 0
		return core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Passed: passed, Results: []core.CheckResult{{Check: "c", Kind: core.CheckCommand, Passed: passed, Detail: by}}}
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
