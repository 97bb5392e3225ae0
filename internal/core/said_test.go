package core_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhatIsSaid compares, for each event that is part of a conversation, all that it
// says: who speaks, to what, and until when an answer is waited for.
func TestWhatIsSaid(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	me, agent := core.Person("ada"), core.Actor{Kind: core.ActorAgent, ID: "manager.r1.a1"}
	decider := core.Actor{Kind: core.ActorDecider, ID: "waves"}
	started := func(p *core.Management) core.Body {
		return core.RunStarted{Goal: "a shop", Conversation: "p-c1", Playbook: core.Playbook{Project: p}}
	}
	goal := core.Said{Kind: core.SaidGoal, Voice: core.VoiceUser, By: "ada", Text: "a shop", Conversation: "p-c1"}
	asked := core.QuestionAsked{ID: "q-1", Text: "x?", Default: "no", After: time.Hour, Conversation: "p-c1"}
	open := core.QuestionAsked{ID: "q-1", Text: "x?", After: time.Hour}
	question := core.Said{Kind: core.SaidQuestion, Text: "x?", Question: "q-1"}
	spoken := func(said core.Said, voice core.Voice, by string) *core.Said {
		said.Voice, said.By = voice, by
		return &said
	}
	whole := question
	whole.Default, whole.Due, whole.Conversation = "no", at.Add(time.Hour), "p-c1"
	answer := core.Said{Kind: core.SaidAnswer, Text: "y", Question: "q-1"}
	tests := []struct {
		name  string
		actor core.Actor
		body  core.Body
		want  *core.Said
	}{
		{"a goal for a manager", me, started(&core.Management{Roles: map[core.TaskKind]string{core.KindManage: "boss"}}), &goal},
		{"a goal for rules", me, started(&core.Management{Roles: map[core.TaskKind]string{core.KindCode: "coder"}}), nil},
		{"a goal for phases", me, started(nil), nil},
		{"a message", agent, core.MessageSent{Voice: core.VoiceBlue, Text: "hello", Conversation: "p-c2"}, &core.Said{
			Kind: core.SaidMessage, Voice: core.VoiceBlue, By: "manager.r1.a1", Text: "hello", Conversation: "p-c2",
		}},
		{"a manager asks", agent, asked, spoken(whole, core.VoiceGreen, "manager.r1.a1")},
		{"a question without a default", agent, open, spoken(question, core.VoiceGreen, "manager.r1.a1")},
		{"a person asks", me, open, spoken(question, core.VoiceUser, "ada")},
		{"a person asks as another", me, core.QuestionAsked{ID: "q-1", Text: "x?", Voice: core.VoiceBlue}, spoken(question, core.VoiceBlue, "ada")},
		{"a planner asks", decider, open, spoken(question, core.VoiceGreen, core.PlannerStage)},
		{"a worker asks", decider, core.QuestionAsked{ID: "q-1", Text: "x?", From: "survey"}, spoken(question, core.VoiceRed, "survey")},
		{"a person answers", me, core.QuestionAnswered{ID: "q-1", Text: "y"}, spoken(answer, core.VoiceUser, "ada")},
		{"a planner answers", decider, core.QuestionAnswered{ID: "q-1", Text: "y", Planner: true}, spoken(answer, core.VoiceGreen, core.PlannerStage)},
		{"nobody answers", core.Engine(), core.QuestionAnswered{ID: "q-1", Text: "y", Default: true}, spoken(answer, "", "")},
		{"something else", me, core.RunCancelled{}, nil},
	}
	for _, test := range tests {
		e, _, err := core.Seal("run/r", core.Head{}, at, test.actor, "", test.body)
		if err != nil {
			t.Fatal(err)
		}
		said, ok, err := core.SaidIn(e)
		if err != nil || ok != (test.want != nil) {
			t.Errorf("%s: %v, %v", test.name, ok, err)
		}
		if test.want == nil {
			continue
		}
		if diff := cmp.Diff(*test.want, said); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
	if _, ok, err := core.SaidIn(core.Event{Type: core.TypeMessageSent, V: 1, Body: []byte("{")}); err == nil || ok {
		t.Errorf("what cannot be read was said: %v, %v", ok, err)
	}
}
