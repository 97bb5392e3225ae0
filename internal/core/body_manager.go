package core

import "time"

// The events of a run that a manager drives, and of its conversation.
const (
	TypeMessageSent       Type = "MessageSent"
	TypeQuestionAsked     Type = "QuestionAsked"
	TypeQuestionAnswered  Type = "QuestionAnswered"
	TypeTaskProposed      Type = "TaskProposed"
	TypeTaskRefused       Type = "TaskRefused"
	TypeTaskFailed        Type = "TaskFailed"
	TypePlanProposed      Type = "PlanProposed"
	TypeToolRefused       Type = "ToolRefused"
	TypeDetailFetched     Type = "DetailFetched"
	TypeValidateConcluded Type = "ValidateConcluded"
	TypePlaybookSwapped   Type = "PlaybookSwapped"
)

// MessageSent is something said in the project's conversation. What a person
// says wakes the manager.
type MessageSent struct {
	Voice        Voice  `json:"voice"`
	Text         string `json:"text"`
	Call         string `json:"call,omitempty"`         // by which a repetition is known
	Conversation string `json:"conversation,omitempty"` // the project's first if empty
}

// QuestionAsked is a question to people. The run waits for the answer once the
// turn that asked it has ended.
type QuestionAsked struct {
	ID       string        `json:"id"`
	Text     string        `json:"text"`
	Default  string        `json:"default,omitempty"` // the answer if nobody gives one
	After    time.Duration `json:"after,omitempty"`   // how long to wait for one
	Call     string        `json:"call,omitempty"`
	From     string        `json:"from,omitempty"`     // delegation of a wave that raised it
	Blocking bool          `json:"blocking,omitempty"` // it cannot go on without the answer
	About    string        `json:"about,omitempty"`    // key of the fact that the answer establishes
	Voice    Voice         `json:"voice,omitempty"`    // whose part is spoken; the asker's own if empty
	// Conversation is where it is asked; the project's first if empty.
	Conversation string `json:"conversation,omitempty"`
}

// QuestionAnswered answers a question.
type QuestionAnswered struct {
	ID      string   `json:"id"`
	Text    string   `json:"text"`
	Default bool     `json:"default,omitempty"` // nobody answered in time
	Planner bool     `json:"planner,omitempty"` // the planner answers, from what is known
	Sources []string `json:"source_refs,omitempty"`
}

// TaskProposed is work that the manager wants done. It is admitted or refused in
// the same step, or waits for what it comes after.
type TaskProposed struct {
	Delegation string   `json:"delegation"`
	Proposal   Proposal `json:"proposal"`
	Call       string   `json:"call,omitempty"`
}

// TaskRefused says why proposed work is not done.
type TaskRefused struct {
	Delegation string `json:"delegation"`
	Code       string `json:"code"` // see RefusalCode
	Reason     string `json:"reason"`
}

// TaskFailed gives up delegated work. What it left unverified is kept under a
// ref; its line goes on from what is verified.
type TaskFailed struct {
	Task   string `json:"task"`
	Reason string `json:"reason"`
}

// PlanProposed is a change of the plan's documents that was found to be valid.
type PlanProposed struct {
	Files   []PlanFile `json:"files"`
	Message string     `json:"message"`        // of the commit, after "plan: "
	Base    string     `json:"base,omitempty"` // digest of the plan that it changes
	Call    string     `json:"call,omitempty"`
	Voice   Voice      `json:"voice,omitempty"` // whose part is spoken; the caller's own if empty
}

// PlanFile is one of the plan's documents.
type PlanFile struct {
	Name   string `json:"name"` // below .ai
	Digest string `json:"digest"`
}

// ToolRefused records a call of a tool that was refused, and what the agent was
// told.
type ToolRefused struct {
	Attempt string `json:"attempt"`
	Tool    Tool   `json:"tool"`
	Reason  string `json:"reason"`
}

// DetailFetched records that an agent read what a run in waves knows. Nothing
// follows from it.
type DetailFetched struct {
	Name  string `json:"name,omitempty"`  // as it was called; the list of all if empty
	From  int64  `json:"from,omitempty"`  // byte that it began with
	Voice Voice  `json:"voice,omitempty"` // that the agent gave itself
}

// ValidateConcluded is what came of looking at the run's branch: once more, or
// before anybody works on a task that is done if its checks hold already.
type ValidateConcluded struct {
	Task    string        `json:"task"`
	Commit  string        `json:"commit"`
	Passed  bool          `json:"passed"`
	Results []CheckResult `json:"results,omitempty"`
	Error   string        `json:"error,omitempty"` // the checks could not be run at all
	First   bool          `json:"first,omitempty"` // before anybody worked on the task
}

// PlaybookSwapped lets another playbook drive the project from here on.
type PlaybookSwapped struct {
	Playbook Playbook `json:"playbook"`
}

func (MessageSent) event() Type       { return TypeMessageSent }
func (QuestionAsked) event() Type     { return TypeQuestionAsked }
func (QuestionAnswered) event() Type  { return TypeQuestionAnswered }
func (TaskProposed) event() Type      { return TypeTaskProposed }
func (TaskRefused) event() Type       { return TypeTaskRefused }
func (TaskFailed) event() Type        { return TypeTaskFailed }
func (PlanProposed) event() Type      { return TypePlanProposed }
func (ToolRefused) event() Type       { return TypeToolRefused }
func (DetailFetched) event() Type     { return TypeDetailFetched }
func (ValidateConcluded) event() Type { return TypeValidateConcluded }
func (PlaybookSwapped) event() Type   { return TypePlaybookSwapped }
