package dispatch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// maxShownPlan is how much of a plan a pull request shows.
const maxShownPlan = 8 << 10

// sentBack lists what was to be done again: what was asked, by whom, and what came of it.
func sentBack(run *core.Run) string {
	if len(run.SentBack) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n## Sent back\n\n")
	if run.SentBefore > 0 {
		fmt.Fprintf(&b, "Before these, %d more.\n\n", run.SentBefore)
	}
	for _, back := range run.SentBack {
		line := way(run, back)
		if back.Text != "" {
			line += ": " + quotedLine(back.Text, 300)
		}
		fmt.Fprintf(&b, "- %s\n%s", line, findings("  ", back.Findings))
		if back.More > 0 {
			fmt.Fprintf(&b, "  - and %d more\n", back.More)
		}
		fmt.Fprintf(&b, "  - %s\n", outcome(back))
	}
	return b.String()
}

// way says from where to where work was sent back, and by whom.
func way(run *core.Run, b core.SentBack) string {
	by := strings.TrimSpace(string(b.By.Kind) + " " + b.By.ID)
	switch {
	case b.Wish != "":
		return "Changes asked for by " + quotedLine(b.From, 200)
	case run.ByWaves() && b.To == core.PlannerStage:
		return "What the planner decided was refused"
	case b.From == b.To:
		return fmt.Sprintf("%s, by %s", b.To, by)
	case b.By.Kind == core.ActorDecider:
		return fmt.Sprintf("%s to %s, as the playbook says", b.From, b.To)
	case b.From != "" && run.Managed():
		return fmt.Sprintf("%s asked for changes of %s", b.From, b.To)
	}
	return fmt.Sprintf("%s to %s, by %s", b.From, b.To, by)
}

// outcome is what came of work that was sent back.
func outcome(b core.SentBack) string {
	text := "not done"
	switch {
	case b.Left:
		return "given up"
	case b.To == core.ManagerStage:
		text = "the manager's answer"
		if b.Said != "" {
			text += ": " + quotedLine(b.Said, 300)
		}
		return text
	case b.Round > 0:
		text = fmt.Sprintf("done and verified in round %d of %s", b.Round, b.To)
	}
	if b.Said != "" {
		text += "; its agent says " + quotedLine(b.Said, 300)
	}
	return text
}

// remarks are what a review had to say of work that it approved.
func remarks(run *core.Run) string {
	var b strings.Builder
	for _, s := range run.Stages {
		if review := s.Review(); s.Status == core.StageDone && review != nil && review.Status == core.ReviewApproved && len(review.Findings) > 0 {
			fmt.Fprintf(&b, "\nRemarks of %s, which approved:\n\n%s", s.ID, findings("", review.Findings))
		}
	}
	return b.String()
}

func findings(indent string, list []core.Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintf(&b, "%s- %s\n", indent, quotedLine(strings.TrimPrefix(f.File+": "+f.Issue, ": "), 300))
	}
	return b.String()
}

// foldedPlan is the plan as it was followed, behind a line to be opened.
func foldedPlan(plan []byte) string {
	if len(plan) == 0 {
		return ""
	}
	return wording.PlanBegins + "\n" + plain.Fence(plain.Head(string(plan), maxShownPlan)) + "\n" + wording.PlanEnds
}

// followedPlan is the plan that the run followed, without secrets: that of the project, or what its
// planning phase handed in. It is empty where there was none.
func (d *Dispatcher) followedPlan(ctx context.Context, run *core.Run) ([]byte, error) {
	artifact := planOf(run)
	if artifact == nil {
		return nil, nil
	}
	text, err := d.readDocument(ctx, artifact)
	if err != nil {
		return nil, fmt.Errorf("read the plan for the pull request: %w", err)
	}
	return []byte(d.harmless(run, string(text))), nil
}

// planOf finds the plan among a run's documents: by phases it is what the first phase that hands in
// prose and no code did, if a later one is given it.
func planOf(run *core.Run) *core.Artifact {
	switch {
	case run.ByWaves(): // what was planned is said wave by wave
		return nil
	case run.Managed():
		if run.Driving.Plan == nil || run.Driving.Plan.Digest == "" {
			return nil
		}
		return &core.Artifact{Name: planPath, Digest: run.Driving.Plan.Digest}
	}
	for _, s := range run.Stages {
		phase := run.Playbook.Phase(s.ID)
		if phase == nil || phase.Writes == core.WritesCode {
			return nil
		}
		for _, name := range phase.Outputs {
			if a := run.Artifact(name); strings.HasSuffix(name, ".md") && a != nil && given(run.Playbook, name) {
				return a
			}
		}
	}
	return nil
}

// given reports a document that a phase of the playbook is given.
func given(p *core.Playbook, name string) bool {
	return slices.ContainsFunc(p.Phases, func(ph core.Phase) bool {
		return slices.ContainsFunc(ph.Inputs, func(in core.Input) bool { return in.Name == name })
	})
}
