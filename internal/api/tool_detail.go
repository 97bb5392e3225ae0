package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// FetchDetail asks for a document, a fact or an answer of a run in waves.
type FetchDetail struct {
	Name string `json:"name"`           // id (d3, f7, q-…), name or key
	From int64  `json:"from,omitempty"` // byte to begin with
	// Voice is whose part is spoken; the caller's own where empty.
	Voice core.Voice `json:"voice,omitempty"`
}

// FetchedDetail is what was asked for, or the part of it that has room.
type FetchedDetail struct {
	ID      string `json:"id,omitempty"`
	Title   string `json:"title"`
	Content string `json:"content"`
	Size    int64  `json:"size"`           // of the whole, in bytes
	Next    int64  `json:"next,omitempty"` // where the rest begins; 0 where there is none
}

// DetailIndex is everything that can be fetched, oldest first.
type DetailIndex struct {
	Details []IndexedDetail   `json:"details"`
	Waves   []string          `json:"waves"` // documents that planners wrote
	Facts   []core.Fact       `json:"facts"` // that hold
	Answers []core.PastAnswer `json:"answers"`
}

// IndexedDetail is a document with the wave it was handed in.
type IndexedDetail struct {
	core.Detail
	Wave int `json:"wave"`
}

func registerDetails(api huma.API, svc Tools) {
	register(api, operation(api, "tool-detail", http.MethodGet, "/v1/runs/{run}/tools/detail", "Read a document of a run in waves"),
		func(ctx context.Context, in *struct {
			RunPath
			Name string `query:"name" required:"true" maxLength:"256" doc:"Id, name or key"`
			From int64  `query:"from" minimum:"0" doc:"Byte to begin with"`
			Role string `query:"role" maxLength:"16" doc:"Voice to speak with; the caller's own where empty"`
		}) (FetchedDetail, error) {
			if err := own(ctx, in.Run); err != nil {
				return FetchedDetail{}, err
			}
			return svc.Detail(ctx, in.Run, FetchDetail{Name: in.Name, From: in.From, Voice: core.Voice(in.Role)})
		})
	register(api, operation(api, "tool-details", http.MethodGet, "/v1/runs/{run}/tools/details", "List what of a run in waves can be read"),
		func(ctx context.Context, in *RunPath) (DetailIndex, error) {
			if err := own(ctx, in.Run); err != nil {
				return DetailIndex{}, err
			}
			return svc.Details(ctx, in.Run)
		})
}
