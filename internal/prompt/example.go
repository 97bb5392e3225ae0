package prompt

import (
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
)

// The examples that prompts show are values of the types that are read: they
// cannot name a field that is not there.

// exampleOutput is a worker's answer with the criteria of its own delegation.
func exampleOutput(b core.Brief) string {
	out := core.WorkerOutput{
		Status:   core.OutputCompleted,
		Compact:  "What everybody must know of the result, in a few sentences.",
		Detailed: "How it came about: what was looked at, what was decided and why.",
		Blocking: []core.Asked{}, Optional: []core.Asked{}, Missing: []core.Asked{},
		Assumptions: []core.Claimed{{Key: "cart.guests", Content: "Guests have carts, too.", Confidence: 0.6}},
		Coverage:    core.Coverage{Met: []string{}, Unmet: []string{}},
		Facts:       []core.Claimed{{Key: "db.engine", Content: "The shop stores its data in SQLite.", Confidence: 0.9, Sources: []string{"go.mod"}}},
	}
	for _, c := range b.Criteria[:min(len(b.Criteria), 3)] {
		text := c.Text
		if plain.Line(text, maxCriterion) != text {
			text = "a criterion, word for word"
		}
		out.Coverage.Met = append(out.Coverage.Met, text)
	}
	return pretty(out)
}

// exampleAsked is a question with everything that it can have.
const exampleAsked = `{"text": "How long does a cart of a guest live?", "about": "cart.guest_lifetime", "default": "30 days", "after": "2h"}`

// exampleDecision is a planner's decision to go on. Before the first wave there is
// nothing to answer, to resolve or to drop.
func exampleDecision(role string, first bool) string {
	d := core.PlannerDecision{
		Decision: core.CourseContinue, Reason: "The schema stands; the endpoint and its documentation can be done side by side.",
		Delegations: []core.Brief{{
			ID: "cart-api", Agent: role, Task: "What is to be done, where, and what is not part of it.",
			Criteria: []core.Criterion{{Text: "GET /cart answers 200 with the stored items", Check: "go test ./cart/..."}, {Text: "The errors are described"}},
			Requires: []string{"db_schema.md"}, Provided: []string{"detail:d3"}, DependsOn: []string{},
			Outputs: []string{"cart_api.md"},
		}},
	}
	if first {
		d.Delegations[0].Requires, d.Delegations[0].Provided = []string{}, []string{}
		d.Reason = "It is one endpoint: one delegation is enough."
		return pretty(d)
	}
	d.Answers = []core.Answering{{Question: "q-0123456789abcdef", Answer: "30 days.", Sources: []string{"f4"}}}
	d.Facts = []core.Claimed{{Key: "cart.guest_lifetime", Content: "A guest's cart lives for 30 days.", Confidence: 0.9, Sources: []string{"d3"}}}
	d.Resolutions = []core.Resolution{{Conflict: "c1", Content: "SQLite", Reason: "d3 has measured it; the other side assumed."}}
	d.Dropped = []core.Dropped{{ID: "cart-cache", Reason: "The store is fast enough."}}
	return pretty(d)
}

func pretty(v any) string { return strings.TrimSpace(string(jsonFile("", v).Content)) }
