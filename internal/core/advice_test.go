package core_test

import (
	"slices"
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

// TestNothingToPublish: trying again finds nothing either, so it is not advised. What there is to publish is tried again.
func TestNothingToPublish(t *testing.T) {
	for head, want := range map[string][]core.Verb{
		"base": {core.VerbRollback, core.VerbCancel},
		"work": {core.VerbResume, core.VerbRollback},
	} {
		r := &core.Run{Alias: "r", Status: core.StatusPaused, Playbook: &core.Playbook{Kind: "phases"}, BaseCommit: "base", Head: head}
		r.Pause = &core.Pause{Code: core.PausePublish, Advice: core.Advice{Choices: r.Choices(core.VerbResume, core.VerbRollback)}}
		var verbs []core.Verb
		for _, c := range r.Advice().Choices {
			verbs = append(verbs, c.Verb)
		}
		if !slices.Equal(verbs, want) {
			t.Errorf("at %s a person is advised %v", head, verbs)
		}
	}
}
