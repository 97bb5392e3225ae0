package cockpit_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/api/apitest"
)

func inReview(pr *api.PullRequest) *apitest.Service {
	svc := &apitest.Service{Documents: map[string]string{"diff": smallDiff}}
	d := api.RunDetail{
		Run: api.Run{ID: "r1", Alias: "r1", Status: "awaiting_review", URL: pr.URL}, PullRequest: pr,
		Stages: []api.Stage{{ID: "publish", Tasks: []api.Task{{ID: "publish.r1", Act: "pull-request", Status: "done"}}}},
	}
	svc.Put(d)
	svc.Waiting = []api.Waiting{{Kind: api.WaitReview, Run: d.Run}}
	return svc
}

var pullPages = []string{"/runs/r1", "/inbox", "/runs/r1/changes", "/runs/r1/tasks/publish.r1"}

// A pull request that is a file of the engine's is shown on a page: no browser
// opens an address of that kind.
func TestAPullRequestThatIsARecordIsShown(t *testing.T) {
	h := serve(t, inReview(&api.PullRequest{
		Number: 3, URL: "file:///state/pulls/p/3.md", State: "open", Commit: "abcdef0123", Record: &api.PullRecord{Title: "Add sub " + evil, Text: "Why **so**\n\n" + evil, Head: "feature/sub", Base: "main"},
	}), api.RoleViewer)
	for _, address := range pullPages {
		if _, body := get(t, h, address); strings.Contains(body, "ZgotmplZ") || strings.Contains(body, "file:") || !strings.Contains(body, `href="/runs/r1/pull-request"`) {
			t.Errorf("%s does not lead to the pull request", address)
		}
	}
	code, body := get(t, h, "/runs/r1/pull-request")
	if code != http.StatusOK || !strings.Contains(body, "<strong>so</strong>") || !strings.Contains(body, "feature/sub") || strings.Contains(body, "<script>alert") {
		t.Errorf("%d %s", code, body)
	}
}

func TestAPullRequestOnAForgeIsLedTo(t *testing.T) {
	h := serve(t, inReview(&api.PullRequest{Number: 3, URL: "https://example.org/p/3", State: "open"}), api.RoleViewer)
	for _, address := range pullPages {
		if _, body := get(t, h, address); !strings.Contains(body, `href="https://example.org/p/3"`) {
			t.Errorf("%s does not lead to the forge", address)
		}
	}
	if code, _ := get(t, h, "/runs/r1/pull-request"); code != http.StatusNotFound {
		t.Errorf("a page of what is elsewhere: %d", code)
	}
}

// A run by phases is over when it has published: what it made is merged from its
// pages all the same.
func TestWhatARunLeavesIsMerged(t *testing.T) {
	ended := time.Now()
	svc := &apitest.Service{Documents: map[string]string{"diff": smallDiff}, MergeAnswer: api.Mergeable{Commit: "abc", Tip: "def", Base: "main", Can: true}}
	d := api.RunDetail{Run: api.Run{ID: "r1", Alias: "r1", Status: "completed", EndedAt: &ended, MergesHere: true}}
	svc.Put(d)
	h := serve(t, svc, api.RoleApprover)
	if _, body := get(t, h, "/runs/r1"); !strings.Contains(body, `href="/runs/r1/changes#review">Review and merge`) {
		t.Error("the run's page leads nowhere")
	}
	if _, body := get(t, h, "/runs/r1/changes"); !strings.Contains(body, `id="review"`) || !strings.Contains(body, "Merge into main") {
		t.Error("it cannot be merged")
	}
	if _, body := get(t, serve(t, svc, api.RoleViewer), "/runs/r1/changes"); strings.Contains(body, "/merge\"") {
		t.Error("a viewer is offered to merge")
	}
	d.MergesHere = false
	svc.Put(d)
	if _, body := get(t, h, "/runs/r1/changes"); strings.Contains(body, "Merge into") {
		t.Error("what was merged can be merged again")
	}
}
