package core

import (
	"slices"
	"time"
)

// Preflight is what was found out before a run began, without an agent. What
// would have kept every attempt from succeeding is not in here: it kept the run
// from being started.
type Preflight struct {
	Skipped string        `json:"skipped,omitempty"` // on whose word nothing was tried
	Checks  []BaseCheck   `json:"checks,omitempty"`
	Tools   []ToolVersion `json:"tools,omitempty"` // that differ between the person's shell and the isolation
	// Uncompared are the programs that the time was too short to compare.
	Uncompared []string      `json:"uncompared,omitempty"`
	Took       time.Duration `json:"took,omitempty"`
}

// BaseCheck is how a command of the playbook ended on the commit that a run
// starts from.
type BaseCheck struct {
	Check  string `json:"check"`
	Passed bool   `json:"passed,omitempty"`
	Untold string `json:"untold,omitempty"` // why it is not known whether it passes
	Detail string `json:"detail,omitempty"` // of one that failed
}

// ToolVersion is a program that is another one inside the isolation than in the
// person's shell; Inside is empty if there is none.
type ToolVersion struct {
	Name    string `json:"name"`
	Outside string `json:"outside"`
	Inside  string `json:"inside,omitempty"`
}

// RedBefore follows the name of a failing check that was red.
const RedBefore = " (was red before this run began)"

// WasRed reports a check that failed before anybody had worked.
func (p *Preflight) WasRed(check string) bool {
	return slices.ContainsFunc(p.Red(), func(c BaseCheck) bool { return c.Check == check })
}

// Red are the checks that failed before anybody had worked.
func (p *Preflight) Red() []BaseCheck {
	if p == nil {
		return nil
	}
	var red []BaseCheck
	for _, c := range p.Checks {
		if !c.Passed && c.Untold == "" {
			red = append(red, c)
		}
	}
	return red
}
