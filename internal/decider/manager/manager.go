// Package manager decides for playbooks of kind `manager`: a manager, which is an
// agent, chooses the work; this package wakes it, admits or refuses what it
// proposes, brings the work to its end and tells it. It is pure, and must not
// choose work itself: that is the manager's.
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
func (Decider) Version() int { return 5 }

// Decide asks one after the other who may have something to say. The first who
// does is followed; the rest are asked again afterwards. Lines come before
// proposals: one that was merged is closed before anybody else is let on it.
func (Decider) Decide(r *core.Run) []core.Body {
	if r.Driving.Plan == nil {
		return nil // it is being looked for
	}
	for _, say := range []func(*core.Run) []core.Body{draft, lines, acts, proposals, publish, turn, worn, ask, barren, woken, ended, rest, watchdog} {
		if bodies := say(r); len(bodies) > 0 {
			return bodies
		}
	}
	return nil
}

// draft has a change of the plan committed.
func draft(r *core.Run) []core.Body {
	if r.Managing.PlanProposed == nil || work.Moving(r) {
		return nil
	}
	return []core.Body{core.PlanWriteRequested{Files: r.Managing.PlanProposed.Files, Message: r.Managing.PlanProposed.Message}}
}

// publish brings what the manager wants published to the pull request. A person
// is asked once the turn is over: until then it may not be the last word.
func publish(r *core.Run) []core.Body {
	if bodies := work.Unpublished(r); bodies != nil {
		return bodies
	}
	s := r.Stage(core.PublishStage)
	switch {
	case s == nil:
	case s.Status == core.StageGated:
		return work.Publish(r, s)
	case s.Status == core.StageOpen && settled(r, s):
		return work.Prepare(r, s)
	}
	return nil
}

// settled reports that nobody is about to say or do something that would change
// what is published: a person would be asked about it in vain.
func settled(r *core.Run, publish *core.Stage) bool {
	for _, d := range r.Managing.Delegations {
		if d.Status == core.DelegationOpen && d.Stage != publish.ID {
			return false
		}
	}
	return !r.InTurn() && !work.Moving(r) && len(r.Managing.Wakes) == 0 && len(r.Questions) == 0
}

// ended closes the run once its pull request was merged and the manager has seen
// everything that was said.
func ended(r *core.Run) []core.Body {
	if r.InTurn() || work.Moving(r) {
		return nil
	}
	return work.Ended(r)
}

// rest lets the run wait for somebody to look at what is published.
func rest(r *core.Run) []core.Body {
	if r.InTurn() || work.Moving(r) {
		return nil
	}
	return work.Review(r)
}

// ask pauses the run for what the manager wants to know.
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
