package api

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
)

// Operations are what whoever runs an engine asks of it. They are no part of any
// run.
type Operations interface {
	// TestNotices sends a message in each way the person is told in, and says what
	// became of it.
	TestNotices(ctx context.Context) ([]NoticeTest, error)
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

func registerOperations(api huma.API, svc Operations) {
	register(api, operation(api, "test-notices", http.MethodPost, "/v1/notices/test", "Send a test in each way that people are told in"),
		func(ctx context.Context, _ *struct{}) (NoticeTests, error) {
			tests, err := svc.TestNotices(ctx)
			return NoticeTests{notNil(tests)}, err
		})
}
