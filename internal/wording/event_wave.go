package wording

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// describeWave says what happened in a run whose work is delegated in waves.
func describeWave(body core.Body) (what, detail string) {
	switch b := body.(type) {
	case core.WaveOpened:
		return "wave opened", fmt.Sprintf("wave %d", b.Wave)
	case core.WaveClosed:
		detail = Colon(string(b.Course), b.Reason)
		if len(b.Notes) > 0 {
			detail += "; not followed: " + strings.Join(b.Notes, "; ")
		}
		if b.Wave == 0 {
			return "planner decided", detail
		}
		return "wave closed", fmt.Sprintf("wave %d: %s", b.Wave, detail)
	case core.BriefAdmitted:
		return "delegated", Colon(fmt.Sprintf("%s to %s", b.Brief.ID, b.Brief.Agent), b.Brief.Title())
	case core.BriefRefused:
		return "not taken on", fmt.Sprintf("%s (%s): %s", b.ID, b.Code, b.Reason)
	case core.BriefEnded:
		if b.Status == core.DelegationDropped {
			return "dropped", Colon(b.Delegation, b.Reason)
		}
		return "delegation failed", Colon(b.Delegation, b.Reason)
	case core.CourseRefused:
		return "decision refused", Colon(string(b.Course), strings.Join(b.Reasons, "; "))
	default:
		return string(core.TypeOf(body)), ""
	}
}

// questionAsked says who wants to know what, and whether somebody waits for it.
func questionAsked(b core.QuestionAsked) string {
	id := b.ID
	if b.From != "" {
		id += " from " + b.From
		if b.Blocking {
			id += ", which waits"
		}
	}
	return Colon(id, b.Text)
}

func questionAnswered(b core.QuestionAnswered) (what, detail string) {
	detail = Colon(b.ID, b.Text)
	if len(b.Sources) > 0 {
		detail += " (" + strings.Join(b.Sources, ", ") + ")"
	}
	if b.Planner {
		return "planner answers", detail
	}
	return "answered", detail
}
