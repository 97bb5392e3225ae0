package engine_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// byManager starts a project that a manager drives.
func byManager(id string, limits core.Limits) core.RunStarted {
	s := start(id, limits)
	s.Project = "of-" + id
	s.Playbook = core.Playbook{
		Name: "m", Kind: "manager", Roles: map[string]core.Role{"boss": {Name: "boss"}, "dev": {Name: "dev"}},
		Project: &core.Management{
			Roles: map[core.TaskKind]string{core.KindManage: "boss", core.KindCode: "dev", core.KindFix: "dev", core.KindResolve: "dev", core.KindReview: "dev"},
			Done:  core.Check{Kind: core.CheckCommand, Run: "make"}, Review: core.ReviewRule{When: core.ReviewNever}, Push: core.PushAsk,
			Attempts: 2, Rounds: 2, Reviews: 2, Timeout: time.Hour,
		},
	}
	return s
}

// turning brings a manager's run to its first turn.
func (b *bench) turning(id string, limits core.Limits) {
	b.t.Helper()
	b.submit(id, core.Person("me"), byManager(id, limits))
	b.submit(id, core.Engine(), core.PlanRead{Plan: core.Plan{Digest: "d", Steps: []core.Step{{ID: "1", Title: "one"}}}})
	b.submit(id, core.Engine(), core.AttemptStarted{Attempt: "manager.r1.a1"})
}

// TestATurnThatWaitsHoldsNoWorkerUp: managers and workers have slots of their own. A run whose manager waits for one
// begins its work as soon as there is a slot for that.
func TestATurnThatWaitsHoldsNoWorkerUp(t *testing.T) {
	b := newBench(t)
	limits := core.DefaultLimits()
	limits.Parallel = 1
	b.running("hold", limits) // the only slot for work
	b.turning("r1", limits)
	b.submit("r1", core.Actor{Kind: core.ActorAgent, ID: "manager.r1.a1"}, core.TaskProposed{
		Delegation: core.DelegationID(1), Proposal: core.Proposal{Kind: core.KindCode, Title: "x", Prompt: "do x"},
	})
	b.submit("r1", core.Engine(), core.AttemptExited{Attempt: "manager.r1.a1", Kind: core.ExitFinished, Delivery: &core.Delivery{}})
	b.turning("r2", limits) // the only slot for managers
	state := b.submit("r1", core.Person("me"), core.MessageSent{Voice: core.VoiceUser, Text: "hello"})
	waits := 0
	for _, s := range state.Stages {
		for _, task := range s.Tasks {
			if task.Blocked != nil {
				waits++
			}
		}
	}
	if waits != 2 {
		t.Fatalf("%d tasks wait for a slot, want the manager's turn and the work", waits)
	}
	b.submit("hold", core.Engine(), core.AttemptExited{Attempt: "a.r1.a1", Kind: core.ExitFinished, Delivery: delivered(1)})
	b.recorder.await(t, "the work", func(a core.Action) bool {
		s, ok := a.(core.StartAttempt)
		return ok && strings.HasPrefix(s.Event, "run/r1#") && !strings.HasPrefix(s.Attempt, "manager.")
	})
}
