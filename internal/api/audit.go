package api

import (
	"context"
	"io"
	"time"
)

// Audit is history for whoever must prove it.
type Audit interface {
	// SignHistory signs what has happened since the newest checkpoint, with the key
	// that the engine's settings name. It fails with CodeForked if the history is not
	// the one that was signed before.
	SignHistory(ctx context.Context) (SignedHistory, error)
	// ExportHistory writes events and checkpoints, each a JSON object on a line, as
	// package audit describes them.
	ExportHistory(ctx context.Context, q HistoryQuery, w io.Writer) error
}

// SignedHistory is what signing came to.
type SignedHistory struct {
	Made    int         `json:"made" doc:"Checkpoints; 0 if nothing has happened since the newest"`
	Streams int         `json:"streams" doc:"Runs and projects that they name"`
	Key     string      `json:"key" doc:"Fingerprint of the key"`
	Newest  *Checkpoint `json:"newest,omitempty"`
}

// Checkpoint is a signed statement about where the history stands.
type Checkpoint struct {
	Number int64     `json:"number"`
	Hash   string    `json:"hash" doc:"SHA-256 of its statement"`
	At     time.Time `json:"at"`
}

// HistoryQuery says what to export; its zero value is everything.
type HistoryQuery struct {
	Since   string `query:"since" doc:"Only what the checkpoint of this number does not cover, or what happened at this time or later"`
	Run     string `query:"run" doc:"Only this run"`
	Project string `query:"project" doc:"Only this project and its runs"`
	Signed  bool   `query:"signed" doc:"Only what a checkpoint covers"`
}
