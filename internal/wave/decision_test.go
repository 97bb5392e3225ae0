package wave

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const continuing = `{
  "decision": "continue",
  "reason": "The schema is there; the service is not.",
  "delegations": [
    {"delegation_id": "api", "agent_id": "backend-developer", "task": "Write the service.",
     "acceptance_criteria": ["It answers", {"text": "It is tested", "check": "go test ./..."}],
     "required_inputs": ["db_schema"], "provided_inputs": ["detail:db_schema"], "depends_on": []},
    {"delegation_id": "page", "agent_id": "frontend-developer", "task": "Write the page.", "acceptance_criteria": ["It loads"],
     "required_inputs": [], "provided_inputs": [], "depends_on": ["api"], "capabilities": ["code"], "outputs": ["page.md"], "replaces": ["old"]}
  ],
  "answers": [{"question_id": "q1", "answer": "UTC", "source_refs": ["f3"]}],
  "facts": ["Prices are in euro.", {"key": "db", "content": "SQLite", "confidence": 0.9}],
  "resolutions": [{"conflict_id": "c1", "content": "SQLite", "reason": "A person said so."}],
  "dropped": [{"delegation_id": "old", "reason": "Done by page."}]
}`

func TestReadDecision(t *testing.T) {
	got, findings, err := ReadDecision([]byte(continuing))
	if err != nil || len(findings) > 0 {
		t.Fatal(findings, err)
	}
	want := core.PlannerDecision{
		Decision: core.CourseContinue, Reason: "The schema is there; the service is not.",
		Delegations: []core.Brief{
			{ID: "api", Agent: "backend-developer", Task: "Write the service.", Criteria: []core.Criterion{{Text: "It answers"}, {Text: "It is tested", Check: "go test ./..."}},
				Requires: []string{"db_schema"}, Provided: []string{"detail:db_schema"}, DependsOn: []string{}},
			{ID: "page", Agent: "frontend-developer", Task: "Write the page.", Criteria: []core.Criterion{{Text: "It loads"}},
				Requires: []string{}, Provided: []string{}, DependsOn: []string{"api"}, Needs: []string{"code"}, Outputs: []string{"page.md"}, Replaces: []string{"old"}},
		},
		Answers:     []core.Answering{{Question: "q1", Answer: "UTC", Sources: []string{"f3"}}},
		Facts:       []core.Claimed{{Content: "Prices are in euro."}, {Key: "db", Content: "SQLite", Confidence: 0.9}},
		Resolutions: []core.Resolution{{Conflict: "c1", Content: "SQLite", Reason: "A person said so."}},
		Dropped:     []core.Dropped{{ID: "old", Reason: "Done by page."}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEachCourseHasWhatItNeeds(t *testing.T) {
	for _, doc := range []string{
		`{"decision": "ask", "reason": "r", "questions": ["Which one?"]}`,
		`{"decision": "ask", "reason": "r", "questions": ["Which one?"], "facts": ["f"], "delegations": []}`,
		`{"decision": "finish", "reason": "r"}`,
		`{"decision": "abort", "reason": "It cannot be done.", "facts": ["f"]}`,
		`{"decision": "continue", "reason": "r", "answers": [{"question_id": "q1", "answer": "a"}]}`,
		"```json\n" + `{"decision": "finish", "reason": "r"}` + "\n```",
	} {
		if _, _, err := ReadDecision([]byte(doc)); err != nil {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

func TestDecisionsThatCannotBeUsed(t *testing.T) {
	var flood strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&flood, `{"delegation_id":"d%d"},`, i)
	}
	for _, test := range []struct {
		name, doc string
		want      []string
	}{
		{"prose", "Let us continue with the service.", []string{`the document is not JSON, it begins with "Let us continue`}},
		{"a course of its own", `{"decision": "retry", "reason": "r"}`, []string{`/decision: is "retry"; it is one of continue, ask, finish, abort`}},
		{"nothing to go on with", `{"decision": "continue", "reason": "r"}`, []string{"/decision: is continue, but there is nothing to go on with"}},
		{"nothing to ask", `{"decision": "ask", "reason": "r"}`, []string{"/decision: is ask, but there is no question"}},
		{"finished with work", with(continuing, `"continue"`, `"finish"`), []string{"/delegations: there are delegations, but the decision is finish"}},
		{"asked with work", with(continuing, `"continue"`, `"ask"`, `"facts"`, `"questions": ["Which?"], "facts"`), []string{"/delegations: there are delegations, but the decision is ask"}},
		{"continued with a question", with(continuing, `"facts"`, `"questions": ["Which?"], "facts"`), []string{"/questions: there are questions, but the decision is continue: nobody would be asked"}},
		{"aborted without a reason", `{"decision": "abort", "reason": " "}`, []string{"/reason: is empty; it is why"}},
		{"no reason", `{"decision": "abort"}`, []string{"/reason: is missing; it is why"}},
		{"the same id twice", with(continuing, `"delegation_id": "page"`, `"delegation_id": "api"`), []string{
			`/delegations/1/delegation_id: "api" is at /delegations/0/delegation_id, too; each must be another one`,
		}},
		{"ids", with(continuing, `"delegation_id": "api"`, `"delegation_id": "API 1"`, `"depends_on": ["api"]`, `"depends_on": ["../api", "`+strings.Repeat("a", 41)+`"]`), []string{
			`/delegations/0/delegation_id: is "API 1"; it must be an id: up to 40 lower-case letters`,
			`/delegations/1/depends_on/0: is "../api"; it must be an id`, `/delegations/1/depends_on/1: is "aaaa`,
		}},
		{"bare delegations", with(continuing, `"agent_id": "backend-developer", "task": "Write the service."`, `"agent_id": "", "task": "\n"`,
			`"acceptance_criteria": ["It loads"],`, `"acceptance_criteria": [],`, `"required_inputs": [], `, ``), []string{
			"/delegations/0/agent_id: is empty; it is the role that does it", "/delegations/0/task: is empty; it is what to do",
			"/delegations/1/acceptance_criteria: is empty; it has what must be true of the result", "/delegations/1/required_inputs: is missing; it is artifacts, facts and answers",
		}},
		{"criteria", with(continuing, `"It answers"`, `"It is  tested"`, `"It loads"`, `" ", {"text": "`+strings.Repeat("long ", 101)+`"}`), []string{
			"/delegations/1/acceptance_criteria/0: is empty; it is what must be true", "/delegations/1/acceptance_criteria/1/text: has 505 characters; at most 500 are allowed",
			`/delegations/0/acceptance_criteria/1: "It is tested" is at /delegations/0/acceptance_criteria/0, too`,
		}},
		{"a command nobody sees whole", with(continuing, "go test ./...", `go test\u202e ./...`), []string{"/delegations/0/acceptance_criteria/1/check: has a control character"}},
		{"10,000 delegations", `{"decision": "continue", "reason": "r", "delegations": [` + strings.TrimSuffix(flood.String(), ",") + `]}`, []string{
			"/delegations: has 10000 entries; at most 1000 are read",
		}},
		{"two answers to one question", with(continuing, `"answers": [`, `"answers": [{"question_id": "q1", "answer": "CET"}, `,
			`"resolutions": [`, `"resolutions": [{"conflict_id": "c1", "content": "x", "reason": "y"}, `, `"dropped": [`, `"dropped": [{"delegation_id": "old", "reason": "y"}, `), []string{
			`/answers/1/question_id: "q1" is at /answers/0/question_id, too`, `/resolutions/1/conflict_id: "c1" is at`, `/dropped/1/delegation_id: "old" is at`,
		}},
		{"unknown and missing at once", `{"decision": "finish", "why": "r", "facts": [{"value": 1}]}`, []string{
			"/reason: is missing", "/facts/0/content: is missing", "/facts/0/value: there is no such field", "/why: there is no such field",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := ReadDecision([]byte(test.doc))
			told(t, core.DecisionArtifact, err, test.want)
		})
	}
}

// TestALongTaskIsCut and a decision with it is still read.
func TestALongTaskIsCut(t *testing.T) {
	got, findings, err := ReadDecision([]byte(with(continuing, "Write the page.", strings.Repeat("Write it. ", 2000))))
	if err != nil || len(got.Delegations[1].Task) > MaxTask+10 || !strings.HasSuffix(got.Delegations[1].Task, "the whole text is in planner_decision.json]") {
		t.Fatal(err)
	}
	noted(t, findings, []string{"/delegations/1/task: had 20000 characters, at most 8000 are kept: "})
}
