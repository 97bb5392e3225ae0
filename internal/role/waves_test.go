package role

import (
	"slices"
	"strings"
	"testing"
)

// TestWavePlanner holds the planner of waves to what it must be told: what it hands in, and that it does no work.
func TestWavePlanner(t *testing.T) {
	r := Builtin()[wavePlanner]
	if slices.Contains(r.Tools, "Edit") || slices.ContainsFunc(r.Tools, startsAgents) || !slices.Equal(r.Capabilities, []string{"plan"}) {
		t.Errorf("the planner is %+v", r)
	}
	words := strings.Join(strings.Fields(r.Prompt), " ")
	for _, phrase := range []string{"$STELLWERK_OUT", "`planner_decision.json`", "`wave_compact.md`", "`wave_detailed.md`", "`$STELLWERK_IN/planner_decision.json.schema.json`",
		"`continue`", "`ask`", "`finish`", "`abort`", "`replaces`", "`dropped`", "You do none of it yourself", "Your last message is one short sentence"} {
		if !strings.Contains(words, phrase) {
			t.Errorf("the planner is not told %q", phrase)
		}
	}
}

// TestWaveWorkers holds those who work in waves to what they hand in. Only those who can code may edit.
func TestWaveWorkers(t *testing.T) {
	for _, name := range []string{"architect", "builder", "examiner", "researcher", "tester", "writer"} {
		r := Builtin()[name]
		words := strings.Join(strings.Fields(r.Prompt), " ")
		for _, phrase := range []string{"`$STELLWERK_OUT/worker_output.json`", "`$STELLWERK_IN/worker_output.json.schema.json`", "Nobody answers while you work",
			"`blocking_questions`", "`assumptions_made`", "Your last message is one short sentence"} {
			if !strings.Contains(words, phrase) {
				t.Errorf("%s is not told %q", name, phrase)
			}
		}
		if r.Description == "" || r.Color == "" || r.Model != "" || len(r.Notes) != 0 || !r.Builtin() || slices.ContainsFunc(r.Tools, startsAgents) {
			t.Errorf("%s: %+v", name, r)
		}
		if slices.Contains(r.Tools, "Edit") != slices.Contains(r.Capabilities, "code") {
			t.Errorf("%s has the tools %v and can %v", name, r.Tools, r.Capabilities)
		}
	}
}
