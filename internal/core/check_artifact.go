package core

// Artifact is the document that must be handed in for a check to hold, and that
// it reads itself; empty where it looks at something else.
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
