package webhook

import (
	"fmt"
	"net/http"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// GitHub sends X-Hub-Signature-256.
func GitHub() Sender {
	return Sender{
		event: "X-GitHub-Event", delivery: "X-GitHub-Delivery", signature: "X-Hub-Signature-256", signedBy: "sha256=",
		events: []string{
			"pull_request", "pull_request_review", "pull_request_review_comment", "pull_request_review_thread", "issue_comment",
			"check_run", "check_suite", "status", "workflow_run", "deployment_status",
		},
	}
}

// Gitea sends X-Gitea-Signature; so does Forgejo.
func Gitea() Sender {
	return Sender{
		event: "X-Gitea-Event", delivery: "X-Gitea-Delivery", signature: "X-Gitea-Signature",
		events: []string{
			"pull_request", "pull_request_approved", "pull_request_rejected", "pull_request_comment", "pull_request_sync",
			"pull_request_review_request", "issue_comment", "status", "workflow_run",
		},
	}
}

// Hint says that something may have happened to pull requests of a repository.
type Hint struct {
	Repository string // owner/name, as the forge writes it
	Numbers    []int  // empty: any of the repository's, because the forge named a commit only
}

// payload is what is read of a delivery.
type payload struct {
	PullRequest *numbered  `json:"pull_request"`
	Issue       *issue     `json:"issue"`
	IsPull      bool       `json:"is_pull"`
	CheckRun    *checked   `json:"check_run"`
	CheckSuite  *checked   `json:"check_suite"`
	WorkflowRun *checked   `json:"workflow_run"`
	Repository  repository `json:"repository"`
}

type numbered struct {
	Number int `json:"number"`
}

type issue struct {
	Number      int       `json:"number"`
	PullRequest *struct{} `json:"pull_request"`
}

type checked struct {
	PullRequests []numbered `json:"pull_requests"`
}

type repository struct {
	FullName string `json:"full_name"`
}

// Parse reads a body that Verify returned. It reports false if the delivery does
// not concern a pull request.
func Parse(from Sender, header http.Header, body []byte) (Hint, bool, error) {
	event := header.Get(from.event)
	if !slices.Contains(from.events, event) {
		return Hint{}, false, nil
	}
	if !isJSON(header) {
		return Hint{}, false, fmt.Errorf("%w: set the webhook's content type to application/json", ErrMalformed)
	}
	var p payload
	if err := (strictjson.Limits{Bytes: MaxBody}).Unmarshal(body, &p); err != nil {
		return Hint{}, false, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if p.Repository.FullName == "" {
		return Hint{}, false, fmt.Errorf("%w: it names no repository", ErrMalformed)
	}
	hint := Hint{Repository: p.Repository.FullName}
	switch {
	case event == "issue_comment" && !p.IsPull && (p.Issue == nil || p.Issue.PullRequest == nil):
		return Hint{}, false, nil
	case p.PullRequest != nil && p.PullRequest.Number > 0:
		hint.Numbers = []int{p.PullRequest.Number}
	case p.Issue != nil:
		hint.Numbers = []int{p.Issue.Number}
	}
	for _, c := range []*checked{p.CheckRun, p.CheckSuite, p.WorkflowRun} {
		if c == nil {
			continue
		}
		for _, n := range c.PullRequests {
			hint.Numbers = append(hint.Numbers, n.Number)
		}
	}
	if slices.ContainsFunc(hint.Numbers, func(n int) bool { return n <= 0 }) {
		return Hint{}, false, fmt.Errorf("%w: it names no pull request", ErrMalformed)
	}
	return hint, true, nil
}
