package core

// The documents of a run of kind waves, as they are read and written. Their
// field names are published; package wave reads them strictly and has their
// schemas.
const (
	OutputArtifact   = "worker_output.json"
	DecisionArtifact = "planner_decision.json"
	CompactArtifact  = "wave_compact.md"  // the truth that holds from here on
	DetailedArtifact = "wave_detailed.md" // how it came about
	PacketFile       = "context.json"     // what an attempt of such a run starts from
	PlannerStage     = "planner"          // each round closes one wave and opens the next
)

// Brief is one piece of work as a planner delegates it.
type Brief struct {
	ID        string      `json:"delegation_id"`
	Agent     string      `json:"agent_id"` // a role of the playbook
	Task      string      `json:"task"`
	Criteria  []Criterion `json:"acceptance_criteria"`
	Requires  []string    `json:"required_inputs"`        // names of artifacts, facts and answers it cannot do without
	Provided  []string    `json:"provided_inputs"`        // where they are, such as detail:d3 or detail:db_schema
	DependsOn []string    `json:"depends_on"`             // delegations that must be done before it
	Needs     []string    `json:"capabilities,omitempty"` // that the role must have
	Outputs   []string    `json:"outputs,omitempty"`      // documents it hands in beside its answer
	Replaces  []string    `json:"replaces,omitempty"`     // delegations whose unmet criteria it takes over
}

// Criterion is something that must hold of a delegation's result. Where it has a
// check, a command, nobody's word is taken for it.
type Criterion struct {
	Text  string `json:"text"`
	Check string `json:"check,omitempty"`
}

// OutputStatus is how a worker says that it ended.
type OutputStatus string

const (
	OutputCompleted OutputStatus = "completed"
	OutputPartial   OutputStatus = "partial" // done as far as it goes; criteria are unmet
	OutputBlocked   OutputStatus = "blocked" // by its blocking questions or by what it misses
	OutputFailed    OutputStatus = "failed"  // cannot be done as it was asked for
)

// WorkerOutput is a worker's answer.
type WorkerOutput struct {
	Status      OutputStatus `json:"status"`
	Compact     string       `json:"compact_md"`
	Detailed    string       `json:"detailed_md"`
	Blocking    []Asked      `json:"blocking_questions"`
	Optional    []Asked      `json:"optional_questions"`
	Missing     []Asked      `json:"missing_info_requests"` // inputs it would need
	Assumptions []Claimed    `json:"assumptions_made"`
	Coverage    Coverage     `json:"coverage"`
	Facts       []Claimed    `json:"facts,omitempty"`
}

// Coverage is which criteria a worker says that it met.
type Coverage struct {
	Met   []string `json:"criteria_met"`
	Unmet []string `json:"criteria_unmet"`
}

// Asked is a question as an agent writes it. About is the key of the fact that
// an answer establishes, if there is one.
type Asked struct {
	Text    string `json:"text"`
	About   string `json:"about,omitempty"`
	Default string `json:"default,omitempty"`
	After   string `json:"after,omitempty"` // how long to wait until the default holds, such as 2h
}

// Claimed is something that an agent holds to be true. What has the same key is
// about the same thing.
type Claimed struct {
	Key        string   `json:"key,omitempty"`
	Content    string   `json:"content"`
	Confidence float64  `json:"confidence,omitempty"` // 0 to 1; if it is not given, see FactConfidence
	Sources    []string `json:"source_refs,omitempty"`
}

// Course is what a planner decides when it closes a wave.
type Course string

const (
	CourseContinue Course = "continue" // with further delegations
	CourseAsk      Course = "ask"      // people, before anything else is delegated
	CourseFinish   Course = "finish"   // the goal is met
	CourseAbort    Course = "abort"    // it cannot be met
)

// PlannerDecision is what a planner hands in with the two documents of a wave.
type PlannerDecision struct {
	Decision    Course       `json:"decision"`
	Reason      string       `json:"reason"`
	Delegations []Brief      `json:"delegations,omitempty"` // of the next wave, with continue
	Questions   []Asked      `json:"questions,omitempty"`   // to people, with ask
	Answers     []Answering  `json:"answers,omitempty"`     // to workers' questions, from what is known
	Facts       []Claimed    `json:"facts,omitempty"`
	Resolutions []Resolution `json:"resolutions,omitempty"` // of conflicts
	Dropped     []Dropped    `json:"dropped,omitempty"`     // delegations that are not wanted any more
}

// Answering answers a question by its id, from what is known.
type Answering struct {
	Question string   `json:"question_id"`
	Answer   string   `json:"answer"`
	Sources  []string `json:"source_refs,omitempty"` // facts and details that say so
}

// Resolution says which side of a conflict holds.
type Resolution struct {
	Conflict string `json:"conflict_id"`
	Content  string `json:"content"`
	Reason   string `json:"reason"`
}

// Dropped gives a delegation up, with the reason.
type Dropped struct {
	ID     string `json:"delegation_id"`
	Reason string `json:"reason"`
}

// ContextPacket is what every attempt of a wave starts from.
type ContextPacket struct {
	Compact     string       `json:"planner_compact"` // the file with the truth of the last wave, "" before the first
	Details     []Detail     `json:"detail_index"`
	Answers     []PastAnswer `json:"answered_questions"`
	Assumptions []Fact       `json:"active_assumptions"`
	Left        *Left        `json:"left_out,omitempty"` // what was left out to keep it short
}

// Left counts what a packet left out. Each can be asked for by `stellwerk tool
// detail`.
type Left struct {
	Details     int `json:"details,omitempty"`
	Answers     int `json:"answers,omitempty"`
	Assumptions int `json:"assumptions,omitempty"`
}

// Detail is a document that can be fetched by its id. Of several with a name,
// the newest satisfies who requires the name.
type Detail struct {
	ID      string   `json:"id"` // d1, d2, … in the order they were handed in
	Title   string   `json:"title"`
	Summary string   `json:"summary"`
	Tags    []string `json:"tags"`
}

// PastAnswer is a question that was answered.
type PastAnswer struct {
	Question string `json:"question_id"`
	Text     string `json:"question"`
	Answer   string `json:"answer"`
	By       string `json:"by"` // person, planner or default
}
