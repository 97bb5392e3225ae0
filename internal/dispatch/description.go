package dispatch

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Forges refuse longer texts; GitHub takes 65,536 characters.
const (
	maxDescription = 60_000
	maxGoal        = 8 << 10
)

// description is the text of a pull request: what was asked, what was planned and done about
// it, what was sent back and what came of that, and what was verified by whom. A text that is
// too long is cut before the last part, which says what a reviewer must not miss.
func description(run *core.Run, plan []byte) string {
	last := closing(run)
	room := maxDescription - len(last)
	var b strings.Builder
	for _, part := range []string{
		plain.Head(strings.TrimSpace(run.Goal), maxGoal) + "\n", issueLine(run), overview(run), handedIn(run), sentBack(run), remarks(run), overridden(run),
	} {
		if room-b.Len() < len(part) {
			part = "\n" + plain.Head(part, max(room-b.Len()-2, 0)) + "\n"
		}
		b.WriteString(part)
	}
	if folded := foldedPlan(plan); b.Len()+len(folded) <= room {
		b.WriteString(folded)
	}
	return b.String() + last
}

func overview(run *core.Run) string {
	switch {
	case run.ByWaves():
		return waves(run)
	case run.Managed():
		return "\n" + steps(run)
	}
	return "\n" + stages(run)
}

// closing is what the work took, and what its reviewer must know of it.
func closing(run *core.Run) string {
	text := fmt.Sprintf("\nCost: %s, %d attempts in all.\n", spent(run), run.Attempts) + steered(run) + knownLeaks(run)
	if run.Isolation == "none" {
		text += "\n**Unenforced**: the agents of this run were not isolated.\n"
	} else if run.Network != nil && run.Network.Open {
		text += "\n**Open network**: the agents of this run could connect to anything.\n"
	}
	return text
}

// issueLine names the issue so that a forge makes a link of it: by its address, or by
// its number in the same repository.
func issueLine(run *core.Run) string {
	switch {
	case run.Issue == "":
		return ""
	case core.IssueAddress(run.Issue):
		return "\nIssue: " + run.Issue + "\n"
	}
	return "\nIssue: #" + core.IssueNumber(run.Issue) + "\n"
}

// steered lists the changed files that steer builds, agents or tools, so that who reviews the pull request looks at them.
func steered(run *core.Run) string {
	var list strings.Builder
	for _, s := range run.Stages {
		for _, t := range s.Tasks {
			if t.Prepared == nil {
				continue
			}
			for _, notice := range t.Prepared.Notices {
				if file, is := strings.CutPrefix(notice, touches); is {
					fmt.Fprintf(&list, "- `%s`\n", strings.ReplaceAll(plain.Line(file, 300), "`", "'"))
				}
			}
		}
	}
	if list.Len() == 0 {
		return ""
	}
	return "\nChanges files that steer builds, agents or tools:\n\n" + list.String()
}

// stages is what each phase took and what it was verified by.
func stages(run *core.Run) string {
	var b strings.Builder
	b.WriteString("| stage | rounds | attempts in the last round | verified by | approved by |\n|---|---|---|---|---|\n")
	for _, s := range run.Stages {
		if s.Status != core.StageDone {
			continue
		}
		attempts, checks := 0, []string{}
		for _, t := range s.Tasks {
			attempts += t.Requested
			if a := t.Last(); a != nil {
				for _, r := range a.Results {
					checks = append(checks, "`"+strings.ReplaceAll(r.Check, "|", "\\|")+"`")
				}
			}
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %s |\n", s.ID, s.Round, attempts, strings.Join(checks, "<br>"), approver(s))
	}
	return b.String()
}

// overridden lists what a review wanted changed and a person approved as it is.
func overridden(run *core.Run) string {
	var b strings.Builder
	if run.Managed() { // there changes are made and merged without a second review
		return ""
	}
	for _, s := range run.Stages {
		review := s.Review()
		if s.Status != core.StageDone || review == nil || review.Status != core.ReviewChangesRequested {
			continue
		}
		fmt.Fprintf(&b, "\nOpen findings of %s, approved as they are by %s:\n\n", s.ID, approver(s))
		b.WriteString(findings("", review.Findings))
	}
	return b.String()
}

// spent is what agents have said that they used. What nobody has seen is not nothing.
func spent(run *core.Run) string {
	tokens := "tokens unknown"
	if n := run.Usage.Tokens(); n > 0 {
		tokens = fmt.Sprintf("%d tokens", n)
	}
	return wording.Cost(run.Cost()) + ", " + tokens
}

// handedIn is what each stage planned or did: its agents' own words, marked as those,
// and the documents that they handed in.
func handedIn(run *core.Run) string {
	var b strings.Builder
	for _, s := range run.Stages {
		if s.Status != core.StageDone {
			continue
		}
		for _, t := range s.Tasks {
			a := t.Last()
			if a == nil || a.Delivery == nil {
				continue
			}
			line := ""
			if a.Summary != "" {
				line = ": its agent says " + quotedLine(a.Summary, 400)
			}
			var documents []string
			for _, doc := range a.Delivery.Artifacts {
				documents = append(documents, quotedLine(doc.Name, 100))
			}
			if len(documents) > 0 {
				line += "; documents: " + strings.Join(documents, ", ")
			}
			if line != "" {
				fmt.Fprintf(&b, "- %s%s\n", t.ID, line)
			}
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "\nWhat was planned and done:\n\n" + b.String()
}

// quotedLine is text of an agent or a person that no forge reads as a mention or a
// command.
func quotedLine(text string, most int) string {
	return "`" + strings.ReplaceAll(plain.Line(text, most), "`", "'") + "`"
}

func approver(s *core.Stage) string {
	if s.Gate == nil || !s.Gate.Approved {
		return ""
	}
	return strings.TrimSpace(string(s.Gate.By.Kind) + " " + s.Gate.By.ID)
}
