package cockpit

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// landmark is an event that stands out in a history.
type landmark struct {
	at   int64
	kind string // "asked", "failed" or "answered"
}

// markCache remembers the landmarks of some runs: what has happened stays.
type markCache struct {
	mu   sync.Mutex
	runs map[string]landmarks
}

type landmarks struct {
	upto int64
	list []landmark
}

// maxMarkedRuns bounds what is remembered; forgetting costs only time.
const maxMarkedRuns = 16

// marksOf are the landmarks of a run up to an event.
func (c *cockpit) marksOf(ctx context.Context, run string, upto int64) ([]landmark, error) {
	c.marks.mu.Lock()
	known := c.marks.runs[run]
	c.marks.mu.Unlock()
	known.list = slices.Clone(known.list)
	for known.upto < upto {
		events, err := c.svc.Events(ctx, run, known.upto, historyPage)
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			break
		}
		for _, e := range events {
			if kind := landmarkOf(e); kind != "" {
				known.list = append(known.list, landmark{e.Seq, kind})
			}
			known.upto = e.Seq
		}
	}
	c.marks.mu.Lock()
	defer c.marks.mu.Unlock()
	if c.marks.runs == nil || len(c.marks.runs) >= maxMarkedRuns {
		c.marks.runs = map[string]landmarks{}
	}
	c.marks.runs[run] = known
	return known.list, nil
}

func landmarkOf(e core.Event) string {
	switch e.Type {
	case core.TypeApprovalGranted, core.TypeFeedbackGiven, core.TypeRolledBack, core.TypeQuestionAnswered, core.TypeRunResumed, core.TypeChangesRequested, core.TypeStageSkipped:
		return "answered"
	default:
	}
	switch tone(e) {
	case track.Waiting:
		return "asked"
	case track.Failed:
		return "failed"
	default:
		return ""
	}
}

// tone is how an event looks.
func tone(e core.Event) track.State {
	switch e.Type {
	case core.TypeStagePassed, core.TypeRunCompleted, core.TypeApprovalGranted, core.TypeMergeGranted, core.TypeQuestionAnswered:
		return track.Passed
	case core.TypeApprovalRequested, core.TypeQuestionAsked, core.TypeRunPaused, core.TypeReviewAwaited:
		return track.Waiting
	case core.TypeRunFailed, core.TypeRunCancelled, core.TypeCommandRefused, core.TypeCourseRefused, core.TypeTaskFailed:
		return track.Failed
	case core.TypeAttemptExited, core.TypeVerifyConcluded, core.TypeMergeConcluded, core.TypePublishPrepared, core.TypePublishConcluded, core.TypeValidateConcluded, core.TypeBriefEnded:
		return ended(e)
	default:
		return track.Still
	}
}

// ended tells by its words how something came out that can come out well or not.
func ended(e core.Event) track.State {
	switch what, _ := wording.Event(e); what {
	case "attempt finished":
		return track.Still
	case "checks passed", "merged", "ready to publish", "published", "branch validated":
		return track.Passed
	case "dropped", "attempt stopped":
		return track.Still
	}
	return track.Failed
}

// The measures of the marks under a slider.
const (
	marksWidth = 1000
	marksRow   = 6
)

// drawMarks draws landmarks in three rows: what was asked, what failed, what was
// answered. Those that would lie on one another are drawn once.
func drawMarks(marks []landmark, last int64) template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="marks" aria-hidden="true" viewBox="0 0 %d %d" preserveAspectRatio="none" xmlns="http://www.w3.org/2000/svg">`, marksWidth, 3*marksRow)
	drawn := map[string]bool{}
	for _, m := range marks {
		x := int64(0)
		if last > 1 {
			x = (m.at - 1) * (marksWidth - 8) / (last - 1)
		}
		row := slices.Index([]string{"asked", "failed", "answered"}, m.kind)
		mark := fmt.Sprintf(`<rect class="%s" x="%d" y="%d" width="8" height="%d"/>`, m.kind, x/2*2, row*marksRow, marksRow-1)
		if !drawn[mark] {
			drawn[mark] = true
			b.WriteString(mark)
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String()) //nolint:gosec // made of numbers and our own words
}
