// Package view turns what the engine answers into lines for people: events, run
// lists, a run in detail, the live view. It is pure, and everything that came
// from an agent or a repository leaves it harmless. It must not read, ask or
// decide anything.
package view

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// View is how things are shown.
type View struct {
	Style terminal.Style
	Width int            // columns; 0 for no limit
	Zone  *time.Location // of the times shown
	Now   time.Time
	// Unattended says that no engine drives the runs.
	Unattended bool
	// Flags go into the commands for the person to type, so that they reach the same
	// engine.
	Flags string
	// ProjectNames are the names of projects by key, if a list has several.
	ProjectNames map[string]string
}

// Event is a line about an event: when, what, who, details, which are wrapped
// to the width. Remarks are added to the details.
func (v View) Event(e core.Event, remarks ...string) string {
	what, detail := wording.Event(e)
	for _, r := range remarks {
		if r != "" {
			detail += ", " + r
		}
	}
	who := string(e.Actor.Kind)
	switch {
	case e.Actor.ID != "" && e.Actor.Kind == core.ActorPerson:
		who = e.Actor.ID
	case e.Actor.ID != "" && e.Actor.Kind == core.ActorAgent: // the stage that its attempt is of
		who, _, _ = strings.Cut(e.Actor.ID, ".")
	}
	paint := v.tone(e.Type, what)
	head := fmt.Sprintf("%s  %s  %s  ", v.Style.Faint(v.clock(e.At)), paint(terminal.Pad(what, 18)), terminal.Pad(terminal.Line(who), 8))
	return strings.TrimRight(strings.Join(terminal.Hang(head, terminal.Line(detail), v.Width), "\n"), " ")
}

func (v View) clock(t time.Time) string {
	t = t.In(v.Zone)
	if now := v.Now.In(v.Zone); t.YearDay() != now.YearDay() || t.Year() != now.Year() {
		return t.Format("2006-01-02 15:04:05")
	}
	return t.Format("15:04:05")
}

func (v View) tone(t core.Type, what string) func(string) string {
	switch {
	case t == core.TypeStagePassed || t == core.TypeRunCompleted || what == "checks passed" || what == "published" || what == "merged":
		return v.Style.Good
	case t == core.TypeApprovalRequested || t == core.TypeRunPaused || t == core.TypeReviewAwaited || t == core.TypeQuestionAsked:
		return v.Style.Asking
	case t == core.TypeRunFailed || t == core.TypeRunCancelled || t == core.TypeCommandRefused || t == core.TypeCourseRefused || strings.HasSuffix(what, "failed"):
		return v.Style.Bad
	}
	return func(s string) string { return s }
}

// Notable reports an event to show while following a run; log shows the others.
func Notable(t core.Type) bool {
	return !slices.Contains([]core.Type{
		core.TypeConditionRequested, core.TypeConditionEvaluated, core.TypeTaskAdmitted, core.TypeAttemptRequested,
		core.TypeClaimFreed, core.TypeUsageObserved, core.TypeProjectSpent, core.TypeAllowanceReserved, core.TypeBranchMoved, core.TypeRefKept, core.TypePublishRequested,
		core.TypeTimerFired, core.TypeRunSwept, core.TypePersonNotified, core.TypePlanWriteRequested,
	}, t)
}

func (v View) fit(line string) string { return v.Style.Fit(line, v.Width) }
