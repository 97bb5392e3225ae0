package cockpit

import (
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// landmarkOf is what an event stands out as; "" where it does not.
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
	case core.TypeRunFailed, core.TypeRunCancelled, core.TypeCommandRefused, core.TypeCourseRefused, core.TypeTaskFailed, core.TypeMergeFailed:
		return track.Failed
	case core.TypeAttemptExited, core.TypeVerifyConcluded, core.TypeMergeConcluded, core.TypePublishPrepared, core.TypePublishConcluded, core.TypeValidateConcluded, core.TypeBriefEnded:
		return ended(e)
	default:
		return track.Still
	}
}

// ended is how something came out that can come out well or not.
func ended(e core.Event) track.State {
	body, err := core.Decode(e)
	if err != nil {
		return track.Still
	}
	switch b := body.(type) {
	case core.AttemptExited:
		return failedUnless(b.Kind == core.ExitFinished || b.Kind == core.ExitCancelled)
	case core.VerifyConcluded:
		return passedIf(b.Passed && b.Error == "")
	case core.MergeConcluded:
		return passedIf(b.Passed && b.Error == "" && len(b.Conflicts) == 0)
	case core.PublishPrepared:
		return passedIf(b.Passed && b.Error == "")
	case core.PublishConcluded:
		return passedIf(b.OK)
	case core.ValidateConcluded:
		if b.First && !b.Passed && b.Error == "" {
			return track.Still // nobody has worked on it yet
		}
		return passedIf(b.Passed && b.Error == "")
	case core.BriefEnded:
		return failedUnless(b.Status == core.DelegatedDropped)
	default:
		return track.Still
	}
}

func passedIf(good bool) track.State {
	if good {
		return track.Passed
	}
	return track.Failed
}

// failedUnless lets what is ordinary not stand out.
func failedUnless(ordinary bool) track.State {
	if ordinary {
		return track.Still
	}
	return track.Failed
}
