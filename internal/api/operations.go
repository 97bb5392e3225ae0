package api

import (
	"context"
	"time"
)

// Operations are what whoever runs an engine asks of it. They are no part of any
// run.
type Operations interface {
	// TestNotices sends a message in each way the person is told in, and says what
	// became of it.
	TestNotices(ctx context.Context) ([]NoticeTest, error)
	// Prune removes from the state folder what is proved to be kept elsewhere, or
	// says what it would remove.
	Prune(ctx context.Context, req Prune) (Pruned, error)
}

// NoticeTest is what became of a message in one way.
type NoticeTest struct {
	Way   string `json:"way"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

// NoticeTests are what became of a test.
type NoticeTests struct {
	Tests []NoticeTest `json:"tests"`
}

// Prune says what is to go.
type Prune struct {
	OlderThan   time.Duration `json:"older_than" doc:"In nanoseconds: how long ago runs ended and objects were put, at least 24 hours"`
	Transcripts bool          `json:"transcripts,omitempty" doc:"Copies of transcripts in run folders, too"`
	Remove      bool          `json:"remove,omitempty" doc:"Otherwise nothing is removed"`
}

// Pruned is what was removed, or would be.
type Pruned struct {
	Removed bool         `json:"removed"` // false: it would be
	Items   []PrunedItem `json:"items"`
	Kept    []PrunedKept `json:"kept"` // old enough, and not proved to be kept elsewhere
	Bytes   int64        `json:"bytes"`
}

// PrunedItem is something that was removed.
type PrunedItem struct {
	Kind  string `json:"kind" doc:"work, attempt, transcript, ref or object"`
	Run   string `json:"run,omitempty"`
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
	Proof string `json:"proof" doc:"Where it is kept, or why nobody needs it"`
}

// PrunedKept is something that stays.
type PrunedKept struct {
	Kind   string `json:"kind"`
	Run    string `json:"run,omitempty"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}
