package core

import (
	"cmp"
	"time"
)

// SaidKind says what part of a conversation something is.
type SaidKind string

const (
	SaidGoal     SaidKind = "goal"     // what a run was begun for
	SaidMessage  SaidKind = "message"  // words
	SaidQuestion SaidKind = "question" // to people
	SaidAnswer   SaidKind = "answer"   // to a question
)

// Said is a piece of a project's conversation, whole, as its event has it.
type Said struct {
	Kind     SaidKind  `json:"kind" doc:"goal, message, question or answer"`
	Voice    Voice     `json:"voice,omitempty" doc:"user, green, blue or red; absent of an answer that nobody gave in time"`
	By       string    `json:"by,omitempty" doc:"The person or the attempt"`
	Text     string    `json:"text"`
	Question string    `json:"question,omitempty" doc:"What a question or its answer is known by"`
	Default  string    `json:"default,omitempty" doc:"Answer of a question where nobody gives one"`
	Due      time.Time `json:"due,omitzero" doc:"When that holds"`
	// Conversation is where it was said.
	Conversation string `json:"conversation,omitempty" doc:"Id of the conversation; absent for the project's first, and for an answer, which is where its question is"`
}

// SaidIn is the piece of the conversation that an event is; ok is false if it
// is none. A goal is one only if a manager reads it.
func SaidIn(e Event) (said Said, ok bool, err error) {
	switch e.Type {
	case TypeRunStarted, TypeMessageSent, TypeQuestionAsked, TypeQuestionAnswered:
	default:
		return Said{}, false, nil
	}
	body, err := Decode(e)
	if err != nil {
		return Said{}, false, err
	}
	switch b := body.(type) {
	case RunStarted:
		managed := b.Playbook.Project != nil && b.Playbook.Project.Roles[KindManage] != ""
		return Said{Kind: SaidGoal, Voice: VoiceUser, By: e.Actor.ID, Text: b.Goal, Conversation: b.Conversation}, managed, nil
	case MessageSent:
		return Said{Kind: SaidMessage, Voice: b.Voice, By: e.Actor.ID, Text: b.Text, Conversation: b.Conversation}, true, nil
	case QuestionAsked:
		said = Said{Kind: SaidQuestion, Voice: VoiceGreen, By: e.Actor.ID, Text: b.Text, Question: b.ID, Default: b.Default, Conversation: b.Conversation}
		switch {
		case e.Actor.Kind == ActorPerson:
			said.Voice = cmp.Or(b.Voice, VoiceUser)
		case e.Actor.Kind == ActorDecider && b.From == "":
			said.By = PlannerStage
		case e.Actor.Kind == ActorDecider:
			said.Voice, said.By = VoiceRed, b.From
		}
		if b.Default != "" {
			said.Due = e.At.Add(b.After)
		}
	case QuestionAnswered:
		said = Said{Kind: SaidAnswer, Voice: VoiceUser, By: e.Actor.ID, Text: b.Text, Question: b.ID}
		switch {
		case b.Default:
			said.Voice, said.By = "", ""
		case b.Planner:
			said.Voice, said.By = VoiceGreen, PlannerStage
		}
	default:
	}
	return said, true, nil
}
