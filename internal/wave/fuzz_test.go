package wave

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	google "github.com/google/jsonschema-go/jsonschema"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// FuzzReadOutput and FuzzReadDecision hold that whatever an agent writes is refused with what is wrong, line by line, or is
// a document that its schema accepts and that reads as itself, with nothing left to remark on.
func FuzzReadOutput(f *testing.F) {
	for _, seed := range []string{
		completed, "```json\n" + completed + "\n```", "~~~\n{}\n~~~", completed + completed, "Done.", "{}", "null", `{"status":1,"STATUS":2}`,
		with(completed, `"Relations are named"`, ``), with(completed, `"completed"`, `"partial"`, `, "Relations are named"`, ``),
		with(completed, "three", strings.Repeat("three ", 1000)), with(completed, `"blocking_questions": []`, `"blocking_questions": ["Why?", null, {}]`),
		with(completed, "time_zone", "\u202e\x7f"), with(completed, `"about": "time_zone"`, `"about": null, "About": ""`),
	} {
		f.Add([]byte(seed))
	}
	schema := compiled(f, Output)
	f.Fuzz(func(t *testing.T, data []byte) {
		holds(t, schema, data, func(data []byte) (core.WorkerOutput, []Finding, error) { return ReadOutput(data, criteria()) })
	})
}

func FuzzReadDecision(f *testing.F) {
	for _, seed := range []string{
		continuing, "```\n" + continuing + "\n```", "Let us go on.", `{"decision":"finish","reason":"r"}`, `{"decision":"ask","reason":"r","questions":["a"]}`,
		`{"decision":"abort","reason":"r","delegations":null}`, with(continuing, "page", "api"), with(continuing, `["It loads"]`, `[{"text":"It loads"},"It  loads"]`),
		with(continuing, "0.9", "-0"), with(continuing, "Write the page.", strings.Repeat("Write\\n", 3000)),
	} {
		f.Add([]byte(seed))
	}
	schema := compiled(f, Decision)
	f.Fuzz(func(t *testing.T, data []byte) { holds(t, schema, data, ReadDecision) })
}

func holds[T any](t *testing.T, schema *google.Resolved, data []byte, read func([]byte) (T, []Finding, error)) {
	doc, _, err := read(data)
	if err != nil {
		var refused *Error
		if !errors.As(err, &refused) || len(refused.Problems) == 0 || len(err.Error()) > 1<<18 {
			t.Fatalf("%q: %v", data, err)
		}
		for _, line := range refused.Lines() {
			if line == "" || strings.ContainsAny(line, "\n\x1b") {
				t.Fatalf("%q: a line of the error is %q", data, line)
			}
		}
		return
	}
	text, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	var generic any
	if err := json.Unmarshal(text, &generic); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(generic); err != nil {
		t.Fatalf("%q is read as %s, which the schema refuses: %v", data, text, err)
	}
	again, findings, err := read(text)
	if err != nil || len(findings) > 0 {
		t.Fatalf("%q is read as %s, and that is not: %v %v", data, text, findings, err)
	}
	if diff := cmp.Diff(doc, again, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("%q is read in two ways:\n%s", data, diff)
	}
}
