package cockpit

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// colour maps a status of anything to the state it is drawn in.
func colour[S ~string](status S) track.State {
	switch string(status) {
	case string(core.StatusActive), string(core.StageOpen), string(core.TaskRunning), string(core.TaskDelivered), string(core.TaskVerifying),
		string(core.AttemptPending), string(core.AttemptStopping):
		return track.Under
	case string(core.StatusAwaiting), string(core.StatusReview), string(core.StatusPaused), string(core.StageGated), string(core.DelegationBlocked), api.PieceStuck, api.ProjectWaiting:
		return track.Waiting
	case string(core.StatusCompleted), string(core.StageDone), string(core.TaskDone), string(core.ReviewApproved):
		return track.Passed
	case string(core.StatusFailed), string(core.ReviewRejected), string(core.DelegationRefused), string(core.ReviewChangesRequested):
		return track.Failed
	case string(core.StatusCancelled), string(core.StageOmitted), string(core.TaskDropped), string(core.DelegationPartial), api.ProjectArchived:
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
