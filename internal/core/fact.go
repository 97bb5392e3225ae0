package core

// FactConfidence is how sure what is claimed without a figure is taken to be.
const (
	FactConfidence       = 0.8
	AssumptionConfidence = 0.5
)

// Origin is where a fact comes from.
type Origin string

const (
	OriginDelegation Origin = "delegation"
	OriginPlanner    Origin = "planner"
	OriginPerson     Origin = "person"  // an answer
	OriginDefault    Origin = "default" // an answer that nobody gave in time
)

// Fact is an entry of a run's pool: what is held to be true, since when and why.
// Nothing is deleted from a pool: what no longer holds names what took its place.
type Fact struct {
	ID           string   `json:"id"` // f1, f2, … in the order they came in
	Key          string   `json:"key,omitempty"`
	Content      string   `json:"content"`
	Origin       Origin   `json:"origin"`
	Source       string   `json:"source,omitempty"` // delegation, wave or question it comes from
	Confidence   float64  `json:"confidence"`
	Assumption   bool     `json:"is_assumption"`
	Sources      []string `json:"source_refs"`
	SupersededBy *string  `json:"superseded_by"`   // id; nil while it holds
	Stale        string   `json:"stale,omitempty"` // fact that it was built on and that no longer holds
	Wave         int      `json:"wave"`
}
