package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func answer(status, met, unmet string) string {
	return fmt.Sprintf(`{"status": %q, "compact_md": "Done.", "detailed_md": "", "blocking_questions": [], "optional_questions": [],
	"missing_info_requests": [], "assumptions_made": [], "coverage": {"criteria_met": [%s], "criteria_unmet": [%s]}}`, status, met, unmet)
}

func TestAWorkersAnswerCoversItsCriteria(t *testing.T) {
	w := newWorld(t)
	c := core.Check{Kind: core.CheckOutput, Criteria: []core.Criterion{{Text: "It builds"}, {Text: "It is fast"}}}
	for text, want := range map[string]string{
		answer("completed", `"It builds", "It is fast"`, ``):                         "The worker says that it is completed, with 2 of 2 criteria met.",
		answer("partial", `"It builds"`, `"It is fast"`):                             "The worker says that it is partial, with 1 of 2 criteria met.",
		answer("partial", ``, `"It is fast"`):                                        "The worker says that it is partial, with 0 of 2 criteria met.\nNoted:\n- /coverage: does not mention the criterion \"It builds\"",
		"```json\n" + answer("completed", `"It builds", "It is fast"`, ``) + "\n```": "The worker says that it is completed, with 2 of 2 criteria met.\nNoted:\n- the JSON object was in a Markdown code fence",
		answer("completed", `"It builds"`, `"It is fast"`):                           "worker_output.json was handed in, but it cannot be used:\n- /status: is completed, but criteria are unmet: say partial",
		answer("completed", `"It builds", "It sings"`, `"It builds"`):                "- /coverage/criteria_unmet/0: \"It builds\" is at /coverage/criteria_met/0, too",
		"I did it.": "- the document is not JSON, it begins with \"I did it.\"",
		"{}":        "- /status: is missing; it is how it ended",
		"":          "- the document is empty; write one JSON object",
		`{"detailed_md": "` + strings.Repeat("x", 1<<20) + `"}`: "worker_output.json is 1048595 bytes; at most 1048576 are read.",
	} {
		got := w.evaluate(c, w.subject(w.head(), w.blob(core.OutputArtifact, text)))
		if !strings.Contains(got.Detail, want) || got.Passed != strings.HasPrefix(want, "The worker") {
			t.Errorf("%.300q: %+v", text, got)
		}
		if got.Check != "output: worker_output.json" || got.Kind != core.CheckOutput {
			t.Errorf("named %q %q", got.Check, got.Kind)
		}
	}
	if got := w.evaluate(c, w.subject(w.head())); got.Passed || !strings.Contains(got.Detail, "worker_output.json was not handed in.") {
		t.Errorf("an answer that is missing: %+v", got)
	}
}

func TestAPlannersDecisionCanBeRead(t *testing.T) {
	w := newWorld(t)
	c := core.Check{Kind: core.CheckDecision}
	for text, want := range map[string]string{
		`{"decision": "finish", "reason": "All is there."}`:              "The planner decides to finish.",
		`{"decision": "ask", "reason": " ", "facts": [{}], "extra": 1}`:  "- /reason: is empty; it is why\n- /facts/0/content: is missing",
		`{"decision": "ask", "reason": "why", "Decision": "x", "q": {}}`: "- /Decision: key differs only in case: \"decision\" and \"Decision\"",
	} {
		got := w.evaluate(c, w.subject(w.head(), w.blob(core.DecisionArtifact, text)))
		if !strings.Contains(got.Detail, want) || got.Passed != strings.HasPrefix(want, "The planner") {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if got := w.evaluate(c, w.subject(w.head())); got.Passed || !strings.Contains(got.Detail, "planner_decision.json was not handed in.") {
		t.Errorf("a decision that is missing: %+v", got)
	}
}

// TestWhoIsStuckOwesNoDocuments: who completes its delegation does, and not empty ones.
func TestWhoIsStuckOwesNoDocuments(t *testing.T) {
	w := newWorld(t)
	c := core.Check{Kind: core.CheckOutput, Criteria: []core.Criterion{{Text: "It builds"}}, Names: []string{"notes.md"}}
	for _, x := range []struct {
		status, met, unmet string
		notes              *string
		want               string
	}{
		{"partial", ``, `"It builds"`, nil, "The worker says that it is partial"},
		{"completed", `"It builds"`, ``, nil, "says completed, but: notes.md was not handed in"},
		{"completed", `"It builds"`, ``, new(" "), "says completed, but: notes.md was handed in, but it is empty"},
		{"completed", `"It builds"`, ``, new("all"), "The worker says that it is completed"},
	} {
		artifacts := []core.Artifact{w.blob(core.OutputArtifact, answer(x.status, x.met, x.unmet))}
		if x.notes != nil {
			artifacts = append(artifacts, w.blob("notes.md", *x.notes))
		}
		s := w.subject(w.head(), artifacts...)
		s.Outputs = []string{core.OutputArtifact, "notes.md"}
		if got := w.evaluate(c, s); !strings.Contains(got.Detail, x.want) || got.Passed != strings.HasPrefix(x.want, "The worker") {
			t.Errorf("%s: %+v", x.status, got)
		}
	}
}

// TestADocumentIsCheckedOnce: what must be handed in is not asked for again where a check reads it.
func TestADocumentIsCheckedOnce(t *testing.T) {
	names := check.Names(core.Check{Kind: core.CheckOutput}, []string{core.OutputArtifact, "notes.md"})
	if got := strings.Join(names, "; "); got != "output: worker_output.json; artifact: notes.md" {
		t.Error(got)
	}
}

// TestWhoIsBlockedHandsInNothingElse: the documents of a delegation come with an answer that says completed.
func TestWhoIsBlockedHandsInNothingElse(t *testing.T) {
	c := core.Check{Kind: core.CheckAll, Of: []core.Check{{Kind: core.CheckOutput, Names: []string{"notes.md"}}}}
	names := check.Names(c, []string{core.OutputArtifact, "notes.md"})
	if got := strings.Join(names, "; "); got != "output: worker_output.json" {
		t.Error(got)
	}
}
