package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"
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
	OlderThan   time.Duration `json:"older_than" doc:"In nanoseconds: how long ago runs ended and blobs were put, at least 24 hours"`
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
	Kind  string `json:"kind" doc:"work, attempt, transcript, ref or blob"`
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

func registerOperations(api huma.API, svc Operations) {
	register(api, operation(api, "test-notices", http.MethodPost, "/v1/notices/test", "Send a test in each way that people are told in"),
		func(ctx context.Context, _ *struct{}) (NoticeTests, error) {
			tests, err := svc.TestNotices(ctx)
			return NoticeTests{notNil(tests)}, err
		})
	register(api, operation(api, "prune", http.MethodPost, "/v1/prune", "Remove from the state folder what is proved to be kept elsewhere"),
		func(ctx context.Context, in *struct{ Body Prune }) (Pruned, error) {
			out, err := svc.Prune(ctx, in.Body)
			out.Items, out.Kept = notNil(out.Items), notNil(out.Kept)
			return out, err
		})
}
