package tool

import (
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// SayDelegated says in a line what became of a proposal.
func SayDelegated(d api.Delegated) string {
	text := d.ID + " is taken on"
	switch core.DelegationStatus(d.Status) {
	case core.DelegationWaiting:
		text = d.ID + " waits for what it comes after"
	case core.DelegationDone:
		text = d.ID + " is done"
	case core.DelegationOpen, core.DelegationFailed, core.DelegationRefused:
	}
	switch {
	case d.Branch != "" && d.Merges:
		return text + ", on " + d.Branch + "; it is merged as soon as it is verified"
	case d.Branch != "":
		return text + ", on " + d.Branch + "; it stays there until you have it merged"
	}
	return text
}

// SayTold says in a line that a message was sent.
func SayTold(t api.Told) string { return "said (" + t.Event + ")" }

// SayAsked says in a line that a question was asked.
func SayAsked(a api.Asked) string {
	text := "asked as " + a.ID + "; the answer wakes the manager"
	if a.Due.IsZero() {
		return text
	}
	return text + ", at the latest at " + a.Due.UTC().Format(time.RFC3339) + " with the default"
}

// SayUpdated says in a line what was committed.
func SayUpdated(u Updated) string {
	if len(u.Sent) == 0 {
		return "this is committed already, as " + u.Commit[:min(len(u.Commit), 12)]
	}
	return "committed " + strings.Join(u.Sent, ", ") + " as " + u.Commit[:min(len(u.Commit), 12)]
}
