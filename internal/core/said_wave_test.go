package core_test

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestSaidInWaves tells who speaks in a run in waves: the decider passes on what planner and workers say.
func TestSaidInWaves(t *testing.T) {
	decider := core.Actor{Kind: core.ActorDecider, ID: "waves"}
	tests := []struct {
		name  string
		actor core.Actor
		body  core.Body
		voice core.Voice
		by    string
	}{
		{"a planner asks", decider, core.QuestionAsked{ID: "q-1", Text: "x?"}, core.VoiceGreen, core.PlannerStage},
		{"a worker asks", decider, core.QuestionAsked{ID: "q-1", Text: "x?", From: "survey"}, core.VoiceRed, "survey"},
		{"a planner answers", decider, core.QuestionAnswered{ID: "q-1", Text: "y", Planner: true}, core.VoiceGreen, core.PlannerStage},
		{"a person answers", core.Person("ada"), core.QuestionAnswered{ID: "q-1", Text: "y"}, core.VoiceUser, "ada"},
		{"nobody answers", core.Engine(), core.QuestionAnswered{ID: "q-1", Text: "y", Default: true}, "", ""},
	}
	for _, test := range tests {
		e, _, err := core.Seal("run/r", core.Head{}, time.Unix(1, 0), test.actor, "", test.body)
		if err != nil {
			t.Fatal(err)
		}
		said, ok, err := core.SaidIn(e)
		if err != nil || !ok || said.Voice != test.voice || said.By != test.by {
			t.Errorf("%s: %+v, %v, %v", test.name, said, ok, err)
		}
	}
}
