package prompt

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wave"
)

// TestDocumentsOfAWave: who must hand one in is told its form and what it must speak of, and has the schema beside the
// inputs.
func TestDocumentsOfAWave(t *testing.T) {
	r := dashboard()
	task := r.Stage("backend").Tasks[0]
	task.Outputs = []string{core.OutputArtifact, core.DecisionArtifact}
	task.Done = core.Check{Kind: core.CheckAll, Of: []core.Check{
		{Kind: core.CheckOutput, Criteria: []core.Criterion{{Text: "It answers within `1s`"}, {Text: "It is tested"}}}, {Kind: core.CheckDecision},
	}}
	text := string(build(t, r, "backend-1-1", nil))
	for _, want := range []string{
		"- `/attempt/out/worker_output.json` is one JSON object and nothing else, valid against the schema in `/attempt/in/worker_output.json.schema.json`. Its `coverage` has",
		"none is unmet:\n  - `` It answers within `1s` ``\n  - `It is tested`\n",
		"- `/attempt/out/planner_decision.json` is one JSON object and nothing else, valid against the schema in `/attempt/in/planner_decision.json.schema.json`.\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "worker_output.json` exists") {
		t.Error("the same document is asked for twice")
	}
	in, err := Gather(r, "backend-1-1")
	if err != nil {
		t.Fatal(err)
	}
	laid := map[string][]byte{}
	for _, f := range Files(in) {
		laid[f.Name] = f.Content
	}
	for name, schema := range map[string]string{core.OutputArtifact: wave.Output, core.DecisionArtifact: wave.Decision} {
		if !bytes.Equal(laid[name+".schema.json"], wave.Schema(schema)) {
			t.Errorf("%s: %d bytes beside the inputs", name, len(laid[name+".schema.json"]))
		}
	}
}
