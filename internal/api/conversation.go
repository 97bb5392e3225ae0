package api

import (
	"context"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Conversation is a person's side of a project that a manager drives. A project
// is named by its id or name, by a path in its repository, or by one of its runs;
// if it is not named, it is that of the repository in Dir.
type Conversation interface {
	// Speak says something to a project's manager, whom it wakes. If no run
	// drives the project, one is started with the words as its goal.
	Speak(ctx context.Context, req Speak) (Spoken, error)
	// Answer answers a question, which is named by a unique beginning of its id.
	// It fails with CodeConflict if that was answered before.
	Answer(ctx context.Context, question string, req Answer) (Spoken, error)
	// Messages reads what was said in a project over all its runs, oldest first.
	Messages(ctx context.Context, q MessageQuery) ([]Message, error)
	// Conversations lists those of a project, the first one first.
	Conversations(ctx context.Context, q ConversationQuery) ([]ConversationView, error)
	// OpenConversation begins one beside those.
	OpenConversation(ctx context.Context, req OpenConversation) (ConversationView, error)
	// NameConversation gives one another name.
	NameConversation(ctx context.Context, req NameConversation) (ConversationView, error)
	// Questions lists what waits for an answer in all projects, oldest first.
	Questions(ctx context.Context) ([]Question, error)
}

// Speak is something to be said to a project.
type Speak struct {
	Project string     `json:"project,omitempty"`
	Dir     string     `json:"dir,omitempty"` // where paths begin
	Text    string     `json:"text"`
	Voice   core.Voice `json:"voice,omitempty" doc:"user (the default) or blue"`
	// Conversation is where it is said: an id or a name; the project's first where
	// empty.
	Conversation string `json:"conversation,omitempty" doc:"Id or name of the conversation; the project's first where empty"`
	// Start is how a run is begun if none drives the project; its goal is
	// Text. Without it the words are refused.
	Start *StartRun `json:"start,omitempty"`
}

// Spoken is what became of a person's words.
type Spoken struct {
	Run     Run    `json:"run"`
	Started bool   `json:"started,omitempty"` // the run was begun with them
	Event   string `json:"event,omitempty"`   // that they are, where a run heard them
	Seq     int64  `json:"seq"`               // where its stream stood before
	Next    string `json:"next"`              // what happens now, and what a person can do about it
}

// Answer is a person's answer.
type Answer struct {
	Text string `json:"text"`
}

// MessageQuery narrows a conversation.
type MessageQuery struct {
	Project      string `query:"project" doc:"Id, name, path or run"`
	Dir          string `query:"dir" doc:"The project of the repository at this path, where none is named"`
	After        string `query:"after" doc:"Only what follows this event"`
	Last         bool   `query:"last" doc:"The newest instead of the oldest"`
	Limit        int    `query:"limit" minimum:"0" maximum:"10000" doc:"At most so many"` // 1000 where 0
	Conversation string `query:"conversation" doc:"Id or name of a conversation; everything where empty"`
}

// ConversationQuery names the project whose conversations are wanted.
type ConversationQuery struct {
	Project string `query:"project" doc:"Id, name, path or run"`
	Dir     string `query:"dir" doc:"The project of the repository at this path, where none is named"`
}

// ConversationView is one of a project's conversations.
type ConversationView struct {
	ID        string    `json:"id"` // the project's own, of the first
	Project   string    `json:"project"`
	Name      string    `json:"name"`
	First     bool      `json:"first"` // the one that every project has
	CreatedBy string    `json:"created_by"`
	CreatedAt time.Time `json:"created_at"`
	Messages  int       `json:"messages"`
	LastAt    time.Time `json:"last_at,omitzero"` // when something was said last
}

// ConversationList is a list of conversations.
type ConversationList struct {
	Conversations []ConversationView `json:"conversations"`
}

// OpenConversation begins a conversation.
type OpenConversation struct {
	Project string `json:"project,omitempty"`
	Dir     string `json:"dir,omitempty"`
	Name    string `json:"name"`
}

// NameConversation gives a conversation another name.
type NameConversation struct {
	Project      string `json:"project,omitempty"`
	Dir          string `json:"dir,omitempty"`
	Conversation string `json:"conversation"` // id or name
	Name         string `json:"name"`
}

// Message is a piece of a conversation.
type Message struct {
	core.Said
	Run   string    `json:"run"`
	Seq   int64     `json:"seq"`
	Event string    `json:"event"` // pass as after
	At    time.Time `json:"at"`
}

// MessageList is a piece of a conversation on the wire.
type MessageList struct {
	Messages []Message `json:"messages"`
}

// Question is something that a manager, a planner or a delegation of a wave
// wants to know.
type Question struct {
	ID       string    `json:"id"`
	Project  string    `json:"project"`            // its name
	Run      string    `json:"run"`                // its alias
	Asker    string    `json:"asker,omitempty"`    // who wants to know, in words
	From     string    `json:"from,omitempty"`     // delegation of a wave
	Blocking bool      `json:"blocking,omitempty"` // that cannot go on without the answer
	Text     string    `json:"text"`
	Default  string    `json:"default,omitempty"`
	Due      time.Time `json:"due,omitzero"` // when that becomes the answer
	At       time.Time `json:"at"`
}

// QuestionList is a list of questions.
type QuestionList struct {
	Questions []Question `json:"questions"`
}

// Manager is how a run stands that a manager drives.
type Manager struct {
	Turn        int          `json:"turn"`            // number of the newest one
	Busy        bool         `json:"busy"`            // it is under way
	Woken       []core.Wake  `json:"woken,omitempty"` // what it was begun for
	Wakes       []core.Wake  `json:"wakes,omitempty"` // what the next one will be
	Idle        bool         `json:"idle"`            // nothing goes on, and nothing is left to be looked at
	Delegations []Delegation `json:"delegations,omitempty"`
	Questions   []Question   `json:"questions,omitempty"`
	Asks        bool         `json:"asks"`         // the run is paused for nothing but their answers
	Due         time.Time    `json:"due,omitzero"` // when it goes on without them
}

// Delegation is work that a manager wants done.
type Delegation struct {
	ID     string                `json:"id"`
	Title  string                `json:"title"`
	Kind   core.TaskKind         `json:"kind,omitempty"`
	Status core.DelegationStatus `json:"status"`
	Branch string                `json:"branch,omitempty"`
	Reason string                `json:"reason,omitempty"` // why it was refused or failed
}
