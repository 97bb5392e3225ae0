package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The names of server-sent events. A stream that ends without EventEnd or
// EventProblem broke off; a client resumes it with Last-Event-ID.
const (
	EventHappened = "event"   // data is an event of the run, id its sequence number
	EventProblem  = "problem" // data is a Problem; nothing follows
	EventEnd      = "end"     // the run has ended; nothing follows
)

type followInput struct {
	RunPath
	After int64  `query:"after" minimum:"0" doc:"Only events after this sequence number"`
	Last  string `header:"Last-Event-ID" doc:"Takes the place of after when a broken stream is resumed"`
}

func (in *followInput) from() (int64, error) {
	if in.Last == "" {
		return in.After, nil
	}
	seq, err := strconv.ParseInt(in.Last, 10, 64)
	if err != nil || seq < 0 {
		return 0, core.Errorf(core.CodeInvalid, "Last-Event-ID %q is not a sequence number", in.Last)
	}
	return seq, nil
}

func following() endpoint {
	return streaming("Server-sent events: event with the sequence number as id, then end or problem",
		func(ctx context.Context, svc Service, in *followInput, fn func(core.Event) error) error {
			return svc.Follow(ctx, in.Run, in.After, fn)
		},
		func(ctx context.Context, svc Service, in *followInput) (func(context.Context, http.ResponseWriter), error) {
			after, err := in.from()
			if err != nil {
				return nil, err
			}
			detail, err := svc.Run(ctx, in.Run)
			return func(ctx context.Context, w http.ResponseWriter) { follow(ctx, svc, detail.ID, after, w) }, err
		})
}
