package check

import (
	"encoding/json"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Subject is what a check judges: one delivery, and what belongs to it.
type Subject struct {
	Delivery    *core.Delivery  // nil if the attempt handed in nothing
	Writes      core.Writes     // of the task
	Outputs     []string        // artifacts the task must hand in
	Base        string          // commit the round started from
	Head        string          // commit to look at if the delivery has only artifacts
	HeadTree    string          // tree of Head
	Context     json.RawMessage // what agents reported, this delivery included
	Marks       []string        // commits of the round that Stellwerk itself made and that change nothing
	Checkpoints []string        // commits of the round that Stellwerk itself made of uncommitted work
}

// commit is the commit whose tree is looked at; empty if there is none.
func (s Subject) commit() string {
	if s.Delivery != nil && s.Delivery.Commit != "" {
		return s.Delivery.Commit
	}
	if s.Writes == core.WritesCode {
		return ""
	}
	return s.Head
}

// tree is the tree of commit.
func (s Subject) tree() string {
	if s.Delivery != nil && s.Delivery.Commit != "" {
		return s.Delivery.Tree
	}
	return s.HeadTree
}

// refuse says why the delivery cannot pass whatever its checks say; empty if it can. final means that there is nothing more
// to look at.
func (s Subject) refuse() (reason string, final bool) {
	switch {
	case s.Delivery == nil:
		return "Nothing was handed in.", true
	case s.Delivery.Rewritten:
		return "The history was rewritten: the delivered commit does not descend from the commit the attempt started " +
			"from. Commits that were there at the start must stay as they are; add new ones on top.", true
	case s.Writes == core.WritesCode && s.Delivery.Commit == "":
		reason := "No commit was handed in, but this task must write code."
		if len(s.Delivery.Rejected) > 0 {
			reason += "\nNot accepted:\n" + bullets(s.Delivery.Rejected, nearMisses)
		}
		return reason, false
	}
	return "", false
}
