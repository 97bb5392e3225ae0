package core

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"
)

// Voice is whose part in a project's conversation somebody speaks. The words
// are those of the sources.
type Voice string

const (
	VoiceUser  Voice = "user"  // a person
	VoiceGreen Voice = "green" // the manager
	VoiceBlue  Voice = "blue"  // a program that speaks for people, such as a cockpit
	VoiceRed   Voice = "red"   // a worker
)

// Message is something that was said in a project's conversation.
type Message struct {
	Event string `json:"event"`
	// Conversation is where; the project's first if empty.
	Conversation string    `json:"conversation,omitempty"`
	Voice        Voice     `json:"voice"`
	By           string    `json:"by,omitempty"`
	Text         string    `json:"text"`
	At           time.Time `json:"at"`
}

// Bounds of the conversation. The state holds the newest of it, as prompts do;
// the events hold all.
const (
	MaxMessage  = 16 << 10
	keptTalk    = 30  // of a conversation
	keptTalks   = 120 // of all
	keptMessage = 4 << 10
	keptAnswers = 50 // in full
	keptAnswer  = 100
)

// Question is something that the manager asked people, and nobody has answered.
type Question struct {
	ID       string    `json:"id"`
	Text     string    `json:"text"`
	Asker    string    `json:"asker,omitempty"` // attempt
	Default  string    `json:"default,omitempty"`
	Due      time.Time `json:"due,omitzero"`       // when the default becomes the answer
	From     string    `json:"from,omitempty"`     // delegation that raised it first
	Blocking bool      `json:"blocking,omitempty"` // somebody cannot go on without the answer
	About    string    `json:"about,omitempty"`    // key of the fact that the answer establishes
	At       time.Time `json:"at"`
	// Conversation is where it was asked; the project's first if empty.
	Conversation string `json:"conversation,omitempty"`
}

// Answer is what a question was answered with.
type Answer struct {
	Question Question  `json:"question"`
	Text     string    `json:"text"`
	By       string    `json:"by,omitempty"`
	Default  bool      `json:"default,omitempty"` // nobody answered in time
	Planner  bool      `json:"planner,omitempty"` // from what was known
	At       time.Time `json:"at"`
}

// QuestionID is the identity of a question: the same words from the same source
// are the same question, however they are spaced, capitalised or ended. It is long
// enough that no agent finds words whose identity is that of another's question.
func QuestionID(source, text string) string {
	sum := sha256.Sum256([]byte(source + "\x00" + Plain(text)))
	return "q-" + hex.EncodeToString(sum[:8])
}

// asking is the source of the run's questions: one project's manager asks the same
// thing once, whichever run it is in; workers of a wave know only their own.
func (r *Run) asking() string {
	if r.ByWaves() {
		return r.ID
	}
	return r.Project
}

// QuestionID is the identity of a question in this run.
func (r *Run) QuestionID(text string) string { return QuestionID(r.asking(), text) }

// Question finds a question that nobody has answered; nil if there is none.
func (r *Run) Question(id string) *Question {
	return find(r.Questions, func(q *Question) bool { return q.ID == id })
}

// Answered finds what a question was answered with; nil if it was not.
func (r *Run) Answered(id string) *Answer {
	return find(r.Answers, func(a *Answer) bool { return a.Question.ID == id })
}

// clipped bounds a text that the state keeps, without cutting a character.
func clipped(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return strings.ToValidUTF8(text[:limit], "") + " …"
}
