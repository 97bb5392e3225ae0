package core

import (
	"slices"
	"strings"
	"time"
)

// Meaning is what a person's word in a session asks for.
type Meaning string

// The meanings. A word without one is a message: it is heard, and permits
// nothing that ends, skips or lets through.
const (
	MeansApprove Meaning = "approve"
	MeansSkip    Meaning = "skip"
	MeansCancel  Meaning = "cancel"
)

// Word is what the person in a run's session said last. It is good for one
// act, and only for what stood open when it was given.
type Word struct {
	Means   Meaning   `json:"means,omitempty"`
	Text    string    `json:"text"`
	Subject *Subject  `json:"subject,omitempty"`
	At      time.Time `json:"at"`
}

// commandPrefix begins the commands that a person types in a session.
const commandPrefix = "/stellwerk:"

// MeaningOf reads a person's message. Only a message that consists of an
// explicit word, or of a command, means something: what merely contains the
// word may be an objection. own are approvals in the person's own words, beside
// those of ApprovalWords.
func MeaningOf(text string, own ...string) Meaning {
	text = strings.ToLower(strings.TrimSpace(text))
	if command, ok := strings.CutPrefix(text, commandPrefix); ok {
		switch command { // with words behind it, it is a message: they may take it back
		case "approve":
			return MeansApprove
		case "skip":
			return MeansSkip
		case "cancel":
			return MeansCancel
		}
		return ""
	}
	bare := bareWords(text)
	if bare != "" && (isApproval(bare) || slices.ContainsFunc(own, func(word string) bool { return bareWords(word) == bare })) {
		return MeansApprove
	}
	switch bare {
	case "skip", "skip it", "skip this phase", "skip the phase":
		return MeansSkip
	case "cancel the run", "discard the run", "cancel run", "discard run":
		return MeansCancel
	}
	return ""
}

// bareWords is a message without what people put between and after its words.
func bareWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(strings.TrimSpace(text)), notLetter), " ")
}

func notLetter(r rune) bool { return strings.ContainsRune(" \t\n.,!:;-", r) }

// place names where a run's agents are started.
func place(session string) string {
	if session == "" {
		return "the engine"
	}
	return "session " + session
}

// spend lets a word lapse: used by the act it permitted, or overtaken by what
// a person has not seen yet.
func spend(r *Run, e Event) {
	switch e.Type {
	case TypeApprovalRequested, TypeApprovalGranted, TypeFeedbackGiven, TypeRolledBack, TypeStageSkipped, TypeAttemptsReset,
		TypeTargetChosen, TypeRunResumed, TypeRunPaused, TypeRunCancelled:
		r.Word = nil
	default: // whatever else happens, the word stands
	}
}
