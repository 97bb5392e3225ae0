package core

import (
	"fmt"
	"slices"
	"strings"
)

// Bounds of a brief, beside those of the document it comes in.
const (
	maxBriefID  = 40
	MaxRequired = 64 // inputs, each of which is laid out
)

// Flaw says what is wrong with how a brief names things; "" if nothing is. Its
// id becomes the name of a stage, of a branch and of files, its outputs become
// files beside those of Stellwerk.
func (b Brief) Flaw() string {
	switch {
	case !briefID(b.ID):
		return fmt.Sprintf("%q cannot be the id of a delegation: use up to %d lower-case letters, digits, - and _", clipped(b.ID, maxBriefID), maxBriefID)
	case slices.Contains([]string{PlannerStage, ManagerStage, PlanStage, PublishStage}, b.ID):
		return fmt.Sprintf("%q is the name of a stage of Stellwerk: choose another id", b.ID)
	case len(b.Requires) > MaxRequired:
		return fmt.Sprintf("it requires %d inputs, at most %d can be: have them put together into fewer documents", len(b.Requires), MaxRequired)
	case len(b.Criteria) > MaxCriteria:
		return fmt.Sprintf("it has %d criteria with those that it takes over, at most %d can be: let it replace fewer, or have several replace one and share its criteria", len(b.Criteria), MaxCriteria)
	}
	seen := map[string]bool{}
	for _, name := range b.Outputs {
		switch same := strings.ToLower(name); {
		case !documentName(name):
			return fmt.Sprintf("%q cannot be the name of a document: use letters, digits, dots, dashes and underscores, such as analysis.md", clipped(name, 2*maxBriefID))
		case ReservedName(name) || slices.Contains([]string{OutputArtifact, DecisionArtifact, CompactArtifact, DetailedArtifact}, same):
			return fmt.Sprintf("%q is the name of a document that Stellwerk itself lays out or reads: choose another", name)
		case seen[same]:
			return fmt.Sprintf("%q is among its outputs twice", name)
		default:
			seen[same] = true
		}
	}
	return ""
}

func briefID(id string) bool {
	for i, c := range []byte(id) {
		letter := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || c != '-' && c != '_') {
			return false
		}
	}
	return id != "" && len(id) <= maxBriefID
}
