package hook

import (
	"path/filepath"

	"github.com/stellwerk-dev/stellwerk/internal/guard"
)

// refused turns a verdict into an answer; false if nothing is refused.
func refused(v guard.Verdict) (Answer, bool) {
	if !v.Deny {
		return Answer{}, false
	}
	a := denied("%s", v.Reason)
	a.rule = string(v.Rule)
	return a, true
}

// policy is what the session itself may do. Stellwerk's own files are hidden from it,
// except the readable copy of runs, where a person finds what to approve.
func (o orchestrator) policy() guard.Policy {
	return guard.Policy{Subject: guard.Orchestrator, Dir: o.in.Dir, Hidden: []string{o.state}}
}

func (o orchestrator) readPolicy(at string) guard.Policy {
	p := o.policy()
	if runs, err := resolve(filepath.Join(o.state, "runs"), "/"); err == nil && inside(at, runs) {
		p.Hidden = nil
	}
	return p
}

// policy is what an agent may do. Its isolation enforces where commands may write, and
// within does so for files.
func (w worker) policy() guard.Policy {
	return guard.Policy{Subject: guard.Worker, Dir: w.in.Dir}
}
