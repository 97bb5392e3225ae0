// Package rules decides for playbooks of kind `rules`: a project's plan is
// worked off by a table of rules, each step on a branch of its own, verified,
// reviewed where the playbook wants it, merged, and published at the end. It is
// pure: given the same state it decides the same, and it must not do anything.
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
		return nil // it is being looked for
	}
	return work.First(r, work.Ended, planned, stages, marked, publish, work.Review)
}
