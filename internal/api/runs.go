package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// RunPath names a run in an endpoint's path. It is exported because the
// framework passes over embedded fields that are not.
type RunPath struct {
	Run string `path:"run" doc:"Id, alias, or a unique prefix of either"`
}

// RunList is the list of runs on the wire.
type RunList struct {
	Runs []Run `json:"runs"`
}

// EventList is a piece of a run's history on the wire.
type EventList struct {
	Events []core.Event `json:"events"`
}

// WaitingList is the inbox on the wire.
type WaitingList struct {
	Waiting []Waiting `json:"waiting"`
}

func registerRuns(api huma.API, svc Service) {
	register(api, operation(api, "start-run", http.MethodPost, "/v1/runs", "Start a run"),
		func(ctx context.Context, in *struct{ Body StartRun }) (Run, error) { return svc.StartRun(ctx, in.Body) })
	register(api, operation(api, "list-runs", http.MethodGet, "/v1/runs", "List runs, newest first"),
		func(ctx context.Context, in *struct {
			Dir     string `query:"dir" doc:"Only those of the repository at this path"`
			Project string `query:"project" doc:"Only those of this project: name or key"`
			Open    bool   `query:"open" doc:"Only those that have not ended"`
			Status  string `query:"status" doc:"Only those of this status"`
			Before  string `query:"before" doc:"Only those that come after this run in the list: id or alias"`
			Limit   int    `query:"limit" minimum:"0" maximum:"10000" doc:"At most so many"`
		}) (RunList, error) {
			runs, err := svc.Runs(ctx, RunQuery{Dir: in.Dir, Project: in.Project, Open: in.Open, Status: in.Status, Before: in.Before, Limit: in.Limit})
			return RunList{Runs: notNil(runs)}, err
		})
	register(api, operation(api, "get-run", http.MethodGet, "/v1/runs/{run}", "Look at a run"),
		func(ctx context.Context, in *RunPath) (RunDetail, error) { return svc.Run(ctx, in.Run) })
	register(api, operation(api, "list-events", http.MethodGet, "/v1/runs/{run}/events", "Read a run's history"),
		func(ctx context.Context, in *struct {
			RunPath
			After int64 `query:"after" minimum:"0" doc:"Only events after this sequence number"`
			Limit int   `query:"limit" minimum:"0" maximum:"10000" doc:"At most so many"`
		}) (EventList, error) {
			events, err := svc.Events(ctx, in.Run, in.After, in.Limit)
			return EventList{Events: notNil(events)}, err
		})
	register(api, operation(api, "read-output", http.MethodGet, "/v1/runs/{run}/attempts/{attempt}/output", "Read an attempt's transcript"),
		func(ctx context.Context, in *struct {
			RunPath
			Attempt string `path:"attempt"`
			After   int64  `query:"after" minimum:"0" doc:"Only records after this number"`
		}) (Output, error) {
			out, err := svc.Output(ctx, in.Run, in.Attempt, in.After)
			out.Records = notNil(out.Records)
			return out, err
		})
	register(api, operation(api, "inbox", http.MethodGet, "/v1/inbox", "List what waits for a person"),
		func(ctx context.Context, _ *struct{}) (WaitingList, error) {
			waiting, err := svc.Inbox(ctx)
			return WaitingList{Waiting: notNil(waiting)}, err
		})
	register(api, operation(api, "limits", http.MethodGet, "/v1/limits", "Ask what was used and what is left"),
		func(ctx context.Context, in *struct {
			Of  string `query:"of" doc:"A run or a project"`
			Dir string `query:"dir" doc:"A folder of a repository"`
		}) (AccountList, error) {
			accounts, err := svc.Limits(ctx, LimitsQuery{Of: in.Of, Dir: in.Dir})
			return AccountList{Accounts: notNil(accounts)}, err
		})
}

// notNil makes an empty list [] on the wire, not null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
