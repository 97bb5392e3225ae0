package wave

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestSchemasAcceptWhatIsWritten by Stellwerk itself and by agents in form, and refuse what is not, by two libraries.
func TestSchemasAcceptWhatIsWritten(t *testing.T) {
	by := "f2"
	fact := core.Fact{ID: "f1", Key: "db", Content: "SQLite", Origin: core.OriginPerson, Source: "q1", Confidence: 1, Sources: []string{"wave_01"}, SupersededBy: &by, Stale: "f0", Wave: 1}
	holds := core.Fact{ID: "f2", Content: "PostgreSQL", Origin: core.OriginDelegation, Confidence: 0.8, Assumption: true, Sources: []string{}, Wave: 2}
	packet := core.ContextPacket{
		Compact: "wave_compact.md", Details: []core.Detail{{ID: "d3", Title: "DB schema", Summary: "Tables and relations", Tags: []string{"db"}}},
		Answers:     []core.PastAnswer{{Question: "q1", Text: "Which database?", Answer: "SQLite", By: "person"}},
		Assumptions: []core.Fact{holds}, Left: &core.Left{Details: 7},
	}
	first := core.ContextPacket{Details: []core.Detail{}, Answers: []core.PastAnswer{}, Assumptions: []core.Fact{}}
	brief := core.Brief{ID: "a", Agent: "x", Task: "t", Criteria: []core.Criterion{{Text: "c", Check: "true"}}, Requires: []string{}, Provided: []string{}, DependsOn: []string{}}
	plain := `{"delegation_id": "0b5f4a0e-6f0c-4c58-9d5e-1f1f6a1d9d11", "agent_id": "code_agent", "task": "…", "acceptance_criteria": ["…"],
		"required_inputs": ["db_schema"], "provided_inputs": ["detail:db_schema_v2"], "depends_on": []}`
	for _, test := range []struct {
		schema, doc string
		valid       bool
	}{
		{PoolEntry, text(t, fact), true}, {PoolEntry, text(t, holds), true},
		{PoolEntry, with(text(t, holds), `"superseded_by":null,`, ``), false}, {PoolEntry, with(text(t, holds), `"delegation"`, `"rumour"`), false},
		{Packet, text(t, packet), true}, {Packet, text(t, first), true}, {Packet, with(text(t, packet), `"person"`, `"nobody"`), false},
		{Delegation, text(t, brief), true}, {Delegation, plain, true}, {Delegation, with(plain, `["…"]`, `[]`), false},
		{Delegation, with(plain, `["…"]`, `["`+strings.Repeat("x", MaxCriterion+1)+`"]`), false},
		{Output, completed, true}, {Output, with(completed, `"status"`, `"Status"`), false}, {Output, with(completed, `"default": "UTC", `, ``), false},
		{Decision, continuing, true}, {Decision, with(continuing, `"page"`, `"Page"`), false},
	} {
		var generic any
		if err := json.Unmarshal([]byte(test.doc), &generic); err != nil {
			t.Fatal(err)
		}
		if err := compiled(t, test.schema).Validate(generic); (err == nil) != test.valid {
			t.Errorf("%s of %s: %v", test.schema, test.doc, err)
		}
		if err := secondOpinion(t, test.schema).Validate(generic); (err == nil) != test.valid {
			t.Errorf("second opinion: %s of %s: %v", test.schema, test.doc, err)
		}
	}
}

func text(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
