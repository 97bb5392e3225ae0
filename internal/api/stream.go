package api

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// The names of server-sent events. A stream that ends without EventEnd or
// EventProblem broke off; a client resumes it with Last-Event-ID.
const (
	EventHappened = "event"   // data is an event of the run, id its sequence number
	EventProblem  = "problem" // data is a Problem; nothing follows
	EventEnd      = "end"     // the run has ended; nothing follows
)

func registerStreams(api huma.API, svc Service) {
	registerFollow(api, svc)
	op := operation(api, "diff", http.MethodGet, "/v1/runs/{run}/diff", "Read the run's changes as a patch")
	registerDocument(api, op, "text/x-diff", func(ctx context.Context, in *struct {
		RunPath
		Stage string `query:"stage" doc:"Only those of this stage's round"`
		Stat  bool   `query:"stat" doc:"A summary instead of the patch"`
	}, w io.Writer) error {
		return svc.Diff(ctx, in.Run, DiffQuery{Stage: in.Stage, Stat: in.Stat}, w)
	})
	op = operation(api, "artifact", http.MethodGet, "/v1/runs/{run}/artifacts/{name}", "Read the newest valid artifact of a name")
	registerDocument(api, op, "application/octet-stream", func(ctx context.Context, in *struct {
		RunPath
		Name string `path:"name"`
	}, w io.Writer) error {
		return svc.Artifact(ctx, in.Run, in.Name, w)
	})
}

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

func registerFollow(api huma.API, svc Service) {
	op := operation(api, "follow", http.MethodGet, "/v1/runs/{run}/follow", "Follow a run's history as it happens")
	op.Responses["200"] = &huma.Response{
		Description: "Server-sent events: event with the sequence number as id, then end or problem",
		Content:     map[string]*huma.MediaType{"text/event-stream": {}},
	}
	huma.Register(api, op, func(ctx context.Context, in *followInput) (*huma.StreamResponse, error) {
		after, err := in.from()
		if err != nil {
			return nil, problemOf(err)
		}
		detail, err := svc.Run(ctx, in.Run)
		if err != nil {
			return nil, problemOf(err)
		}
		return &huma.StreamResponse{Body: func(hc huma.Context) {
			r, w := humago.Unwrap(hc)
			follow(r.Context(), svc, detail.ID, after, w)
		}}, nil
	})
}
