package manager_test

import (
	"encoding/json"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// steady is a world in which nothing goes wrong, and whose manager does what the
// test says.
func steady(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, func(string, int) int { return 0 })
	w.kind = true
	w.begin()
	w.answer(core.ReadPlan{Commit: "c0"})
	return w
}

// turn brings the manager's agent to life; "" where it has no turn.
func (w *world) turn() string {
	a := w.run.Turning()
	if a == nil {
		return ""
	}
	if a.Status == core.AttemptPending {
		w.must(core.Engine(), core.AttemptStarted{Attempt: a.ID, Agent: "x"})
	}
	return a.ID
}

// rest ends the manager's turn.
func (w *world) rest() {
	w.t.Helper()
	w.must(core.Engine(), core.AttemptExited{Attempt: w.turn(), Kind: core.ExitFinished})
}

// planned has a plan committed, in the first turn.
func (w *world) planned(steps ...core.Step) {
	w.t.Helper()
	digest := "planned"
	w.drafts[digest] = steps
	w.call(core.ToolPlan, core.PlanProposed{Base: w.run.Driving.Plan.Digest, Files: []core.PlanFile{{Name: "plan.md", Digest: digest}}, Message: "steps"})
	w.writePlan()
}

// call is a tool of the present turn that must not be refused by the law.
func (w *world) call(tool core.Tool, body core.Body) {
	w.t.Helper()
	if err := w.tool(w.turn(), tool, body); err != nil {
		w.t.Fatalf("%s: %v", core.TypeOf(body), err)
	}
}

// propose delegates in the present turn and says what became of it.
func (w *world) propose(p core.Proposal) *core.Delegation {
	w.t.Helper()
	id := core.DelegationID(w.run.Managing.Delegated + 1)
	w.call(core.ToolDelegate, core.TaskProposed{Delegation: id, Proposal: p})
	return w.run.Delegation(id)
}

// effect answers the first effect of a kind.
func effect[A core.Action](w *world) {
	w.t.Helper()
	for _, a := range core.Effects(w.run) {
		if _, ok := a.(A); ok {
			w.answer(a)
			return
		}
	}
	w.t.Fatalf("there is no such effect\n%s", w.account())
}

// worked has one agent's work done and verified.
func (w *world) worked() {
	w.t.Helper()
	for _, s := range w.run.Stages {
		for _, t := range s.Tasks {
			if a := t.Last(); s.ID != core.ManagerStage && a != nil && a.Status.Active() {
				w.must(core.Engine(), core.AttemptStarted{Attempt: a.ID, Agent: "x"})
				w.must(core.Engine(), core.AttemptExited{Attempt: a.ID, Kind: core.ExitFinished, Delivery: w.deliver(t, a)})
				effect[core.Verify](w)
				return
			}
		}
	}
	w.t.Fatalf("nobody is at work\n%s", w.account())
}

func work(line string) core.Proposal { return core.Proposal{Prompt: "do it", Line: line} }

func of(kind core.TaskKind, line string) core.Proposal {
	return core.Proposal{Kind: kind, Line: line, Prompt: "please"}
}

// code is the machine's word for a refusal.
func (w *world) code() string {
	for i := len(w.events) - 1; i >= 0; i-- {
		if w.events[i].Type == core.TypeTaskRefused {
			var b core.TaskRefused
			if err := json.Unmarshal(w.events[i].Body, &b); err != nil {
				w.t.Fatalf("decode: %v", err)
			}
			return b.Code
		}
	}
	return ""
}
