package core

import "slices"

// Artifact is the document that must be handed in for a check to hold, and that
// it reads itself; empty if it looks at something else.
func (c Check) Artifact() string {
	switch c.Kind {
	case CheckArtifact, CheckPlan:
		return c.Name
	case CheckOutput:
		return OutputArtifact
	case CheckDecision:
		return DecisionArtifact
	default: // looks at a tree, at what was reported, or is a compound
		return ""
	}
}

// Mentions reports that a check says, itself or in one of its parts, when a
// document must be handed in. A worker's answer says it of those that come with it:
// who is blocked has none yet.
func (c Check) Mentions(artifact string) bool {
	return c.Artifact() == artifact || c.Kind == CheckOutput && slices.Contains(c.Names, artifact) ||
		slices.ContainsFunc(c.Of, func(part Check) bool { return part.Mentions(artifact) })
}
