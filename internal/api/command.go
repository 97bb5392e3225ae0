package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// commandInput is a person's word about a run.
type commandInput[T any] struct {
	RunPath
	Body T
}

func registerCommands(api huma.API, svc Service) {
	registerCommand(api, "approve", "Approve what waits", svc.Approve)
	registerCommand(api, "feedback", "Send the current stage back with words", svc.Feedback)
	registerCommand(api, "rollback", "Send the run back to a stage", svc.Rollback)
	registerCommand(api, "skip", "Pass over the current stage", svc.Skip)
	registerCommand(api, "retry", "Give the current stage its attempts back", svc.Retry)
	registerCommand(api, "pause", "Stop the run", svc.Pause)
	registerCommand(api, "resume", "Let a paused run go on", svc.Resume)
	registerCommand(api, "cancel", "End the run", svc.Cancel)
	registerCommand(api, "merge", "Bring the pull request into its base", svc.Merge)
	register(api, operation(api, "get-merge", http.MethodGet, "/v1/runs/{run}/merge", "Ask what merging the pull request would do"),
		func(ctx context.Context, in *RunPath) (Mergeable, error) { return svc.Mergeable(ctx, in.Run) })
	registerCommand(api, "swap", "Let another playbook drive the project", svc.Swap)
}

func registerCommand[T any](api huma.API, verb, summary string, call func(context.Context, string, T) (Run, error)) {
	register(api, operation(api, verb, http.MethodPost, "/v1/runs/{run}/"+verb, summary),
		func(ctx context.Context, in *commandInput[T]) (Run, error) { return call(ctx, in.Run, in.Body) })
}
