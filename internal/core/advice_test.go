package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestAdviceIsAboutTheGate: a manager's run can wait at its gate while an earlier stage is still open.
func TestAdviceIsAboutTheGate(t *testing.T) {
	r := &core.Run{Alias: "r", Status: core.StatusAwaiting, Playbook: &core.Playbook{Kind: "manager", Project: &core.Management{}}, Stages: []*core.Stage{
		{ID: "api", Status: core.StageOpen, Branch: "b"},
		{ID: core.PublishStage, Status: core.StageGated, Gate: &core.Gate{Leaks: []core.Leak{{Rule: "token"}}}},
	}}
	if choices := r.Advice().Choices; len(choices) == 0 || choices[0].Verb != core.VerbApproveLeak {
		t.Errorf("a person is advised %+v", choices)
	}
}
