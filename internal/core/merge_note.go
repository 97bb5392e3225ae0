package core

import "slices"

// keptFiles is how many files a note of a merge names.
const keptFiles = 20

// MergeNote is what whoever had a line merged is told of how that went: what
// stood in the way, and what the checks say of the merged tree.
type MergeNote struct {
	Conflicts bool     `json:"conflicts"`                // git could not merge it by itself
	Files     []string `json:"files,omitempty"`          // that git could not merge, as many as are kept
	More      int      `json:"more,omitempty"`           // files beyond those
	Resolved  []string `json:"resolved_files,omitempty"` // those of them that an agent put right
	Failed    []string `json:"failed,omitempty"`         // checks that the merged tree did not pass at first
	Build     Verdict  `json:"build,omitempty"`          // of the checks of the merged tree; empty if there was none to check
	Words     string   `json:"words,omitempty"`          // of the agent that put it right: shown, never believed
}

// refuse notes a merge that git or the checks refused. A note that was handed out
// stays as it is.
func (n *MergeNote) refuse(b MergeConcluded) *MergeNote {
	next := MergeNote{}
	if n != nil {
		next = *n
	}
	next.Files, next.Failed = slices.Clone(next.Files), slices.Clone(next.Failed)
	next.Conflicts = next.Conflicts || len(b.Conflicts) > 0
	for _, name := range b.Conflicts {
		switch {
		case slices.Contains(next.Files, name):
		case len(next.Files) < keptFiles:
			next.Files = append(next.Files, name)
		default:
			next.More++
		}
	}
	next.Build = VerdictNone
	for _, c := range b.Results {
		if !c.Passed {
			next.Build = VerdictFailed
			if !slices.Contains(next.Failed, c.Check) && len(next.Failed) < keptFiles {
				next.Failed = append(next.Failed, c.Check)
			}
		}
	}
	return &next
}

// settle is the note of a merge that was made in the end.
func (n *MergeNote) settle() *MergeNote {
	next := MergeNote{}
	if n != nil {
		next = *n
	}
	next.Resolved, next.Build = next.Files, VerdictPassed
	return &next
}
