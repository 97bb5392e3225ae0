// Package rules decides for playbooks of kind `rules`: it does the steps of a project's plan by a table of rules. Each step
// gets a branch of its own and is verified, reviewed if the playbook wants that, and merged; the end is a pull request.
// The package is pure: the same state gives the same decision, and it must not do anything.
package rules

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// Decider drives runs of kind `rules`.
type Decider struct{}

var _ core.Decider = Decider{}

// Kind is the playbook kind this decider is for.
func (Decider) Kind() string { return "rules" }

// Version changes when the same state would lead to other decisions.
func (Decider) Version() int { return 5 }

// Decide follows the first of these that has something to say; the rest are asked again afterwards.
func (Decider) Decide(r *core.Run) []core.Body {
	if r.Driving.Plan == nil {
		return nil // it is still being read
	}
	return work.First(r, work.Ended, planned, stages, marked, publish, work.Review)
}
