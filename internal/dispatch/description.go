package dispatch

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/check/plain"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// description is the text of a pull request: what was asked, what was done
// about it, and what was verified by whom.
func description(run *core.Run) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n", strings.TrimSpace(run.Goal))
	if run.Issue != "" {
		fmt.Fprintf(&b, "Issue: %s\n\n", issueLink(run.Issue))
	}
	switch {
	case run.ByWaves():
		b.WriteString(waves(run))
	case run.Managed():
		b.WriteString(steps(run))
	default:
		b.WriteString(stages(run))
		b.WriteString(overridden(run))
	}
	fmt.Fprintf(&b, "\nCost: $%.2f, %d tokens, %d attempts in all.\n", run.Usage.CostUSD, run.Usage.Tokens(), run.Attempts)
	b.WriteString(steered(run))
	if run.Isolation == "none" {
		b.WriteString("\n**Unenforced**: the agents of this run were not isolated.\n")
	}
	return b.String()
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

// issueLink is how a forge makes a link of an issue: by its address, or by its
// number in the same repository.
func issueLink(issue string) string {
	if core.IssueAddress(issue) {
		return issue
	}
	return "#" + core.IssueNumber(issue)
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
	for _, s := range run.Stages {
		review := s.Review()
		if s.Status != core.StageDone || review == nil || review.Status != core.ReviewChangesRequested {
			continue
		}
		fmt.Fprintf(&b, "\nOpen findings of %s, approved as they are by %s:\n\n", s.ID, approver(s))
		for _, f := range review.Findings {
			fmt.Fprintf(&b, "- %s\n", strings.TrimPrefix(plain.Line(f.File+": "+f.Issue, 300), ": "))
		}
	}
	return b.String()
}

func approver(s *core.Stage) string {
	if s.Gate == nil || !s.Gate.Approved {
		return ""
	}
	return strings.TrimSpace(string(s.Gate.By.Kind) + " " + s.Gate.By.ID)
}
