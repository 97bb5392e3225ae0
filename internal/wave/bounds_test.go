package wave

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	google "github.com/google/jsonschema-go/jsonschema"
)

// bounds are the figures of the schemas that agents' documents are read by: of each text in characters, of each list in
// entries, by the object that has it.
func bounds() map[string]int {
	return map[string]int{
		"worker-output/compact_md": MaxCompact, "worker-output/detailed_md": MaxDetailed,
		"worker-output/blocking_questions": MaxQuestions, "worker-output/optional_questions": MaxQuestions,
		"worker-output/missing_info_requests": MaxQuestions, "worker-output/assumptions_made": MaxFacts, "worker-output/facts": MaxFacts,
		"coverage/criteria_met": MaxCriteria, "coverage/criteria_met/0": MaxCriterion,
		"coverage/criteria_unmet": MaxCriteria, "coverage/criteria_unmet/0": MaxCriterion,
		"planner-decision/reason": MaxReason, "planner-decision/delegations": MaxDelegations, "planner-decision/questions": MaxQuestions,
		"planner-decision/answers": MaxFacts, "planner-decision/facts": MaxFacts, "planner-decision/resolutions": MaxFacts,
		"planner-decision/dropped": MaxDelegations,
		"delegation/task":          MaxTask, "delegation/acceptance_criteria": MaxCriteria, "delegation/depends_on": MaxDelegations,
		"delegation/replaces": MaxDelegations, "delegation/required_inputs": MaxNames, "delegation/provided_inputs": MaxNames,
		"delegation/capabilities": MaxNames, "delegation/outputs": MaxNames,
		"criterion/text": MaxCriterion, "criterion/check": MaxCheck,
		"asked/text": MaxQuestion, "asked/default": MaxQuestion, "asked/after": 20,
		"claimed/content": MaxContent, "claimed/source_refs": MaxNames,
		"answering/answer": MaxAnswer, "answering/source_refs": MaxNames,
		"resolution/content": MaxContent, "resolution/reason": MaxReason, "dropped/reason": MaxReason,
		"name": MaxName,
	}
}

// TestBoundsAreThoseOfTheSchemas, and every list and text that an agent writes has one.
func TestBoundsAreThoseOfTheSchemas(t *testing.T) {
	got := map[string]int{}
	for _, name := range []string{Output, Decision, Delegation} {
		root := parsed(name)
		bounded(t, got, name, root)
		for def, schema := range root.Defs {
			bounded(t, got, def, schema)
		}
	}
	if diff := cmp.Diff(bounds(), got); diff != "" {
		t.Errorf("constants (-) and schemas (+):\n%s", diff)
	}
}

func bounded(t *testing.T, got map[string]int, path string, s *google.Schema) {
	t.Helper()
	note := func(bound *int) {
		if bound == nil {
			t.Errorf("%s has no bound", path)
			return
		}
		if earlier, known := got[path]; known && earlier != *bound {
			t.Errorf("%s: %d and %d", path, earlier, *bound)
		}
		got[path] = *bound
	}
	switch {
	case s.Type == "object":
		for name, prop := range s.Properties {
			bounded(t, got, path+"/"+name, prop)
		}
	case s.Type == "array":
		note(s.MaxItems)
		bounded(t, got, fmt.Sprint(path, "/0"), s.Items)
	case s.Type == "string" && len(s.Enum) == 0 && path != "id": // whose pattern has it
		note(s.MaxLength)
	}
}
