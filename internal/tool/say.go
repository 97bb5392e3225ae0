package tool

import (
	"fmt"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// SayDelegated says in a line what became of a proposal.
func SayDelegated(d api.Delegated) string {
	text := d.ID + " is admitted"
	switch d.Status {
	case core.DelegationWaiting:
		text = d.ID + " waits for the work it comes after"
	case core.DelegationDone:
		text = d.ID + " is done"
	default:
	}
	switch {
	case d.Branch != "" && d.Merges:
		return text + ", on " + d.Branch + "; Stellwerk merges it once it is verified"
	case d.Branch != "":
		return text + ", on " + d.Branch + "; it stays there until you have it merged"
	}
	return text
}

// SayTold says in a line that a message was sent.
func SayTold(t api.Told) string { return "sent (" + t.Event + ")" }

// SayAsked says in a line that a question was asked.
func SayAsked(a api.Asked) string {
	text := "asked as " + a.ID + "; the answer wakes the manager"
	if a.Due.IsZero() {
		return text
	}
	return text + ", or the default does at " + a.Due.UTC().Format(time.RFC3339)
}

// SayUpdated says in a line what was committed.
func SayUpdated(u Updated) string {
	if len(u.Sent) == 0 {
		return "already committed, as " + u.Commit[:min(len(u.Commit), 12)]
	}
	return "committed " + strings.Join(u.Sent, ", ") + " as " + u.Commit[:min(len(u.Commit), 12)]
}

// SayDetail is a detail as text. It says if a part was left out, and where to
// continue.
func SayDetail(d api.FetchedDetail) string {
	text := strings.TrimRight(d.Content, "\n")
	if d.Next > 0 {
		text += fmt.Sprintf("\n\n[%d of %d bytes left out; continue from byte %d (--from)]", d.Size-d.Next, d.Size, d.Next)
	}
	return text
}

// SayDetails is the index of all details as lines.
func SayDetails(index api.DetailIndex) string {
	var b strings.Builder
	for _, d := range index.Details {
		fmt.Fprintf(&b, "%s  %s (wave %d", d.ID, d.Title, d.Wave)
		if len(d.Tags) > 0 {
			b.WriteString("; " + strings.Join(d.Tags, ", "))
		}
		fmt.Fprintf(&b, "): %s\n", d.Summary)
	}
	for _, name := range index.Waves {
		b.WriteString(name + "\n")
	}
	for _, f := range index.Facts {
		kind := ""
		if f.Assumption {
			kind = " (an assumption)"
		}
		fmt.Fprintf(&b, "%s  %s%s: %s\n", f.ID, f.Key, kind, strings.Join(strings.Fields(f.Content), " "))
	}
	for _, a := range index.Answers {
		fmt.Fprintf(&b, "%s  %s — %s\n", a.Question, a.Text, strings.Join(strings.Fields(a.Answer), " "))
	}
	if b.Len() == 0 {
		return "nothing yet"
	}
	return strings.TrimSuffix(b.String(), "\n")
}
