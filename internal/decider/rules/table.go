package rules

import "github.com/stellwerk-dev/stellwerk/internal/core"

// outcome is how a step's newest task ended.
type outcome string

const (
	begun    outcome = "begun"             // there is no task yet
	done     outcome = "done"              // its checks passed
	approved outcome = "approved"          // a review says so
	changes  outcome = "changes requested" // a review says so
	rejected outcome = "rejected"          // a review says so
	refused  outcome = "refused"           // a merge has conflicts, or its checks failed
	failed   outcome = "failed"            // its attempts are used up
)

// move is the answer of a rule.
type move int

const (
	moveCode    move = iota // do the step's work
	moveReview              // have it reviewed if the playbook wants that; otherwise merge
	moveFix                 // continue the branch with what the review found
	moveMerge               // merge the branch
	moveResolve             // continue the branch to fix what stopped the merge
	movePass                // the step is done
	moveDiscard             // start the step over, on another branch
	moveRecover             // look at how it failed: start over, or ask a person
	moveAsk                 // ask a person
)

// row is one rule: the move after a task of a kind ended in one way.
type row struct {
	after core.TaskKind
	ended outcome
	then  move
}

// table are the rules. docs/rules.md explains them.
func table() []row {
	return []row{
		{core.KindWork, begun, moveCode},
		{core.KindCode, done, moveReview},
		{core.KindCode, failed, moveRecover},
		{core.KindReview, approved, moveMerge},
		{core.KindReview, changes, moveFix},
		{core.KindReview, rejected, moveDiscard},
		{core.KindReview, failed, moveAsk}, // the work is verified, so it does not start over
		{core.KindFix, done, moveMerge},
		{core.KindFix, failed, moveRecover},
		{core.KindMerge, refused, moveResolve},
		{core.KindMerge, done, movePass},
		{core.KindResolve, done, moveReview},
		{core.KindResolve, failed, moveRecover},
	}
}

// lookUp finds the rule for how a step's newest task ended.
func lookUp(after core.TaskKind, ended outcome) (move, bool) {
	for _, r := range table() {
		if r.after == after && r.ended == ended {
			return r.then, true
		}
	}
	return 0, false
}
