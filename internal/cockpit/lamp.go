package cockpit

import (
	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// lamp is how a status of anything looks.
func lamp(status string) track.State {
	switch status {
	case string(core.StatusActive), string(core.StageOpen), string(core.TaskRunning), string(core.TaskDelivered), string(core.TaskVerifying),
		string(core.AttemptPending), string(core.AttemptStopping):
		return track.Under
	case string(core.StatusAwaiting), string(core.StatusReview), string(core.StatusPaused), string(core.StageGated), string(core.DelegatedBlocked):
		return track.Waiting
	case string(core.StatusCompleted), string(core.StageDone), string(core.TaskDone), string(core.ReviewApproved):
		return track.Passed
	case string(core.StatusFailed), string(core.ReviewRejected), string(core.DelegationRefused), string(core.ReviewChangesRequested):
		return track.Failed
	case string(core.StatusCancelled), string(core.StageOmitted), string(core.TaskDropped), string(core.DelegatedPartial):
		return track.Still
	}
	return track.Ahead
}
