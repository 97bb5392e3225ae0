// Package manager decides for playbooks of kind `manager`. An agent, the manager, chooses the work; this package wakes it,
// admits or refuses its proposals, drives the work to its end and reports back. It is pure, and must not choose work.
package manager

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// Decider drives runs of kind `manager`.
type Decider struct{}

var _ core.Decider = Decider{}

// Kind is the playbook kind this decider is for.
func (Decider) Kind() string { return "manager" }

// Version changes when the same state would lead to other decisions.
func (Decider) Version() int { return 6 }

// Decide follows the first of these that has something to say; the rest are asked again afterwards. Lines come before
// proposals, so that a merged line is closed before a proposal can use it.
func (Decider) Decide(r *core.Run) []core.Body {
	if r.Driving.Plan == nil {
		return nil // it is still being read
	}
	return work.First(r, changePlan, lines, acts, proposals, publish, turn, worn, ask, barren, woken, ended, rest, watchdog)
}

// changePlan has a change of the plan committed.
func changePlan(r *core.Run) []core.Body {
	if r.Managing.PlanProposed == nil || work.Moving(r) {
		return nil
	}
	return []core.Body{core.PlanWriteRequested{Files: r.Managing.PlanProposed.Files, Message: r.Managing.PlanProposed.Message}}
}

// publish drives publishing. A person is asked only after the manager's turn, which may still change something.
func publish(r *core.Run) []core.Body {
	return work.Publishing(r, settled(r))
}

// settled reports that nothing is under way that could change what a person would be asked to publish.
func settled(r *core.Run) bool {
	for _, d := range r.Managing.Delegations {
		if d.Status == core.DelegationOpen && d.Stage != core.PublishStage {
			return false
		}
	}
	return !r.InTurn() && !work.Moving(r) && len(r.Managing.Wakes) == 0 && len(r.Questions) == 0
}

// ended completes the run once its pull request is merged and the manager's turn is over.
func ended(r *core.Run) []core.Body {
	if r.InTurn() || work.Moving(r) {
		return nil
	}
	return work.Ended(r)
}

// rest lets the run wait for the review of what is published.
func rest(r *core.Run) []core.Body {
	if r.InTurn() || work.Moving(r) {
		return nil
	}
	return work.Review(r)
}

// ask pauses the run for the manager's question.
func ask(r *core.Run) []core.Body {
	if len(r.Questions) == 0 || r.InTurn() {
		return nil
	}
	q := r.Questions[0]
	return []core.Body{core.RunPaused{
		Code: core.PauseQuestion, Stage: core.ManagerStage, Reason: "the manager asks: " + q.Text,
		Advice: q.Ask(),
	}}
}

// barren pauses the run of a manager that changes nothing.
func barren(r *core.Run) []core.Body {
	if r.Managing.Barren < core.MaxBarren || r.InTurn() {
		return nil
	}
	return []core.Body{core.RunPaused{
		Code: core.PauseBarren, Stage: core.ManagerStage,
		Reason: fmt.Sprintf("the manager was woken %d times in a row and changed nothing", r.Managing.Barren),
		Advice: core.Advice{Hint: "say what it is to do", Choices: []core.Choice{{Verb: core.VerbSay}, {Verb: core.VerbResume, Run: r.Alias}}},
	}}
}
