package api

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// FetchDetail asks for a document, a fact or an answer of a run in waves.
type FetchDetail struct {
	Name  string     `query:"name" required:"true" maxLength:"256" doc:"Id, name or key"` // such as d3, f7, q-…
	From  int64      `query:"from" minimum:"0" doc:"Byte to begin with"`
	Voice core.Voice `query:"role" maxLength:"16" doc:"Voice to speak with; the caller's own where empty"`
}

// FetchedDetail is what was asked for, or the part of it that has room.
type FetchedDetail struct {
	ID      string `json:"id,omitempty"`
	Title   string `json:"title"`
	Content string `json:"content"`
	Size    int64  `json:"size"`           // of the whole, in bytes
	Next    int64  `json:"next,omitempty"` // where the rest begins; 0 if there is none
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
