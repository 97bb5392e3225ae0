package api

import (
	"context"
	"encoding/json"
	"time"
)

// Transcripts are what agents said and did, in pieces: a whole one may be
// larger than anybody wants to hold.
type Transcripts interface {
	// Transcript reads a piece of what an attempt said and did, its newest records
	// where the query is empty. Attempts of earlier rounds are found, too.
	Transcript(ctx context.Context, id, attempt string, q TranscriptQuery) (Transcript, error)
}

// TranscriptQuery says which piece of a transcript is wanted.
type TranscriptQuery struct {
	At      int64 `query:"at" minimum:"0" doc:"A place that an earlier piece named; without one the end, or with forward the beginning"`
	Forward bool  `query:"forward" doc:"What follows the place, instead of what comes before it"`
	Limit   int   `query:"limit" minimum:"0" maximum:"1000" doc:"At most so many records"` // as many as an answer holds where 0
}

// Transcript is a piece of an attempt's transcript, the oldest record first.
type Transcript struct {
	Attempt string      `json:"attempt"`
	Records []Utterance `json:"records"`
	Begin   int64       `json:"begin" doc:"Pass as at for what came before; 0 where nothing did"`
	End     int64       `json:"end" doc:"Pass as at, with forward, for what follows"`
	Done    bool        `json:"done" doc:"The attempt is over, and nothing follows"`
}

// Utterance is a record of a transcript with what a screen shows of it.
type Utterance struct {
	N      int64           `json:"n"`
	At     time.Time       `json:"at"`
	Kind   string          `json:"kind" doc:"text, thinking, tool_call, tool_result, usage, notice, result, stderr or raw"`
	Text   string          `json:"text,omitempty"`
	Tool   string          `json:"tool,omitempty"`
	Input  json.RawMessage `json:"input,omitempty" doc:"Of a call"`
	Failed bool            `json:"failed,omitempty" doc:"Of a result"`
	Denied bool            `json:"denied,omitempty" doc:"The call was not carried out"`
	Cut    int             `json:"cut,omitempty" doc:"Bytes that were left out at the end"`
}
