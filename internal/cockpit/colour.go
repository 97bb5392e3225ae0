package cockpit

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// colour maps a status, an outcome or a grade of anything to the state it is drawn in.
func colour[S ~string](status S) track.State {
	switch string(status) {
	case string(core.StatusActive), string(core.StageOpen), string(core.TaskRunning), string(core.TaskDelivered), string(core.TaskVerifying),
		string(core.AttemptPending), string(core.AttemptStopping), api.GradeWarn:
		return track.Under
	case string(core.StatusAwaiting), string(core.StatusReview), string(core.StatusPaused), string(core.StageGated), string(core.DelegationBlocked), string(api.PieceStuck), string(api.ProjectWaiting), string(api.StatusUnreadable), string(api.ProjectStranded), string(api.EngineDraining):
		return track.Waiting
	case string(core.StatusCompleted), string(core.StageDone), string(core.TaskDone), string(core.ReviewApproved), api.EffectOK, string(api.EngineWorking):
		return track.Passed
	case string(core.StatusFailed), string(core.ReviewRejected), string(core.DelegationRefused), string(core.ReviewChangesRequested),
		api.EffectError, api.EffectDenied, api.GradeFail, string(api.EngineGone), string(api.EngineRetired):
		return track.Failed
	case string(core.StatusCancelled), string(core.StageOmitted), string(core.TaskDropped), string(core.DelegationPartial), string(api.ProjectArchived),
		api.EffectUnknown, api.EffectUnobserved:
		return track.Still
	}
	return track.Ahead
}

// taskColour is how a task is drawn: one that has no try left has failed, until a
// person gives it another.
func taskColour(t api.Task) track.State {
	if stuck(t) {
		return track.Failed
	}
	return colour(t.Status)
}

func stuck(t api.Task) bool {
	return colour(t.Status) == track.Ahead && t.Limit > 0 && t.Counted >= t.Limit
}

// stageColour is how a stage is drawn: one with a task that has failed waits for a
// person.
func stageColour(s api.Stage) track.State {
	if colour(s.Status) != track.Passed && slices.ContainsFunc(s.Tasks, stuck) {
		return track.Waiting
	}
	return colour(s.Status)
}

// landmarkOf is what an event stands out as; empty if it does not.
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
		return failedUnless(b.Status == core.DelegationDropped)
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

// failedUnless keeps ordinary endings from standing out.
func failedUnless(ordinary bool) track.State {
	if ordinary {
		return track.Still
	}
	return track.Failed
}
