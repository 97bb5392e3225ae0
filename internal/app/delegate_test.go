package app_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// planned is a booth whose manager has made its plan and is in its first turn.
func (b *booth) planned() (boss context.Context) {
	b.t.Helper()
	b.say("greet the world")
	boss, _ = b.turns(1)
	if _, err := b.app.Service.UpdatePlan(boss, b.run.ID, api.UpdatePlan{Message: "the plan", Files: map[string]string{"plan.md": onePlan}}); err != nil {
		b.t.Fatal(err)
	}
	return boss
}

// TestManyDelegateAtOnce: an agent may call its tools side by side. Each call gets
// a number of its own, and none is taken for one that was refused.
func TestManyDelegateAtOnce(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	boss := b.planned()
	if _, err := b.app.Service.Delegate(boss, b.run.ID, core.Proposal{Prompt: "begin"}); err != nil {
		t.Fatal(err)
	}
	const calls = 8
	ids, errs := make([]string, calls), make([]error, calls)
	var wg sync.WaitGroup
	for i := range calls {
		wg.Go(func() {
			d, err := b.app.Service.Delegate(boss, b.run.ID, core.Proposal{Prompt: fmt.Sprint("part ", i), After: []string{"t1"}})
			ids[i], errs[i] = d.ID, err
		})
	}
	wg.Wait()
	seen := map[string]bool{}
	for i := range calls {
		if errs[i] != nil || seen[ids[i]] {
			t.Errorf("call %d: %s, %v", i, ids[i], errs[i])
		}
		seen[ids[i]] = true
	}
	b.until(0, "the last of them", func(body core.Body) bool {
		if refused, ok := body.(core.ToolRefused); ok {
			t.Errorf("%+v", refused)
		}
		proposed, ok := body.(core.TaskProposed)
		return ok && proposed.Delegation == core.DelegationID(calls+1)
	})
}
