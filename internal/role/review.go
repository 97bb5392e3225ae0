package role

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/strictjson"
)

// ReviewArtifact is the name of the artifact that holds a review. A phase that hands it in can request changes.
const ReviewArtifact = "review.json"

//go:embed review.schema.json
var reviewSchema []byte

// ReviewSchema is the JSON Schema (draft 2020-12) of a review.
func ReviewSchema() json.RawMessage { return append(json.RawMessage(nil), reviewSchema...) }

// document is a review as an agent writes it.
type document struct {
	Status   string    `json:"status"`
	Reason   string    `json:"reason"` // of a rejection
	Findings []finding `json:"findings"`
	Fixes    []finding `json:"fixes"` // the older name of findings
}

type finding struct {
	Type     string `json:"type"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Severity string `json:"severity"`
	Issue    string `json:"issue"`
}

// Bounds of a review, which becomes part of prompts and of what a person reads.
const (
	maxReviewBytes = 1 << 20
	maxFindings    = 500
	maxIssue       = 4000
)

// ParseReview reads a review strictly. The status is compared without regard to case; a review that requests changes
// must say which.
func ParseReview(data []byte) (*core.Review, error) {
	var doc document
	if err := (strictjson.Limits{Bytes: maxReviewBytes}).Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", ReviewArtifact, err)
	}
	review := &core.Review{}
	switch status := strings.ToLower(strings.TrimSpace(doc.Status)); status {
	case string(core.ReviewApproved), "approve":
		review.Status = core.ReviewApproved
	case string(core.ReviewChangesRequested), "request_changes":
		review.Status = core.ReviewChangesRequested
	case string(core.ReviewRejected), "reject":
		review.Status, review.Reason = core.ReviewRejected, strings.TrimSpace(doc.Reason)
	case "":
		return nil, fmt.Errorf("%s: status is missing; write APPROVED, CHANGES_REQUESTED or REJECTED", ReviewArtifact)
	default:
		return nil, fmt.Errorf("%s: status %.40q is neither APPROVED, CHANGES_REQUESTED nor REJECTED", ReviewArtifact, doc.Status)
	}
	if len(doc.Findings) > 0 && len(doc.Fixes) > 0 {
		return nil, fmt.Errorf("%s: findings and fixes are two names of one list; use findings", ReviewArtifact)
	}
	all := slices.Concat(doc.Findings, doc.Fixes)
	if len(all) > maxFindings {
		return nil, fmt.Errorf("%s: %d findings; at most %d are read", ReviewArtifact, len(all), maxFindings)
	}
	var wrong error
	for i, f := range all {
		read, err := f.read()
		if err != nil {
			wrong = errors.Join(wrong, fmt.Errorf("%s: findings[%d]: %w", ReviewArtifact, i, err))
		}
		review.Findings = append(review.Findings, read)
	}
	if wrong != nil {
		return nil, wrong
	}
	if review.Status == core.ReviewRejected && (review.Reason == "" || len(review.Reason) > maxIssue) {
		return nil, fmt.Errorf("%s: a rejection needs its reason, of at most %d bytes", ReviewArtifact, maxIssue)
	}
	if review.Status == core.ReviewChangesRequested && len(review.Findings) == 0 {
		return nil, fmt.Errorf("%s: changes are requested without a finding; say what must change", ReviewArtifact)
	}
	return review, nil
}

func (f finding) read() (core.Finding, error) {
	issue := strings.TrimSpace(f.Issue)
	switch {
	case issue == "":
		return core.Finding{}, fmt.Errorf("issue is missing; say what is wrong")
	case len(issue) > maxIssue:
		return core.Finding{}, fmt.Errorf("issue has %d bytes; at most %d are read", len(issue), maxIssue)
	case f.Line < 0:
		return core.Finding{}, fmt.Errorf("line %d is not a line number", f.Line)
	case len(f.Type) > 100 || len(f.Severity) > 100 || len(f.File) > 4096:
		return core.Finding{}, fmt.Errorf("type, severity or file is too long")
	}
	return core.Finding{
		Type: strings.ToLower(strings.TrimSpace(f.Type)), File: strings.TrimSpace(f.File), Line: f.Line,
		Severity: strings.ToLower(strings.TrimSpace(f.Severity)), Issue: issue,
	}, nil
}
