package check_test

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// FuzzReadReview holds that a reviewer's words are a verdict that can be acted on and shown, or refused.
func FuzzReadReview(f *testing.F) {
	for _, seed := range []string{
		`{"status":"APPROVED"}`, `{"status":"rejected","reason":"no\u001b[2J"}`, `{"status":"pending","STATUS":"approved"}`,
		`{"status":"changes_requested","findings":[{"type":"Backend","file":"./a/../b.go","line":3,"severity":"HIGH","issue":"x\u202ey"}]}`,
		`{"status":"changes_requested","fixes":[{"issue":"x","line":-1}]}`, "APPROVED", "{}{}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		review, err := check.ReadReview(data)
		if err != nil {
			return
		}
		if review.Status == core.ReviewChangesRequested && len(review.Findings) == 0 || review.Status == core.ReviewRejected && review.Reason == "" {
			t.Fatalf("%q is %s, and does not say why", data, review.Status)
		}
		texts := []string{review.Reason}
		for _, finding := range review.Findings {
			texts = append(texts, finding.Type, finding.Severity, finding.File, finding.Issue)
		}
		for _, text := range texts {
			if i := strings.IndexFunc(text, unshowable); i >= 0 {
				t.Fatalf("%q leaves %q", data, text[i:])
			}
		}
	})
}

func unshowable(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || unicode.Is(unicode.Bidi_Control, r)
}

// handedIn has one document, whatever it is called.
type handedIn []byte

func (h handedIn) Open(context.Context, string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(string(h))), nil
}

// FuzzArtifact holds that every document gets a verdict by a schema, and evidence that is short.
func FuzzArtifact(f *testing.F) {
	for _, seed := range []string{`{"status":"ok","tests":[{"name":"a"}]}`, `{"status":"maybe"}`, "status: ok", `{"status":1,"STATUS":2}`, "[[[[", "\xff"} {
		f.Add([]byte(seed))
	}
	schemas := []json.RawMessage{json.RawMessage(reportSchema), role.ReviewSchema()}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, schema := range schemas {
			s := check.Subject{Delivery: &core.Delivery{Artifacts: []core.Artifact{{Name: "r.json", Digest: "d", Size: int64(len(data))}}}}
			c := core.Check{Kind: core.CheckArtifact, Name: "r.json", Schema: schema}
			settle(t, &check.Evaluator{Artifacts: handedIn(data)}, c, s)
		}
	})
}
