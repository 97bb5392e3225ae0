package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestAWordIsAboutWhatWasShown: between a person's look and their word another
// round may have come to the gate.
func TestAWordIsAboutWhatWasShown(t *testing.T) {
	now := core.Subject{Stage: "write", Round: 2, Delivery: "d2", Commit: "c2"}
	before := core.Subject{Stage: "write", Round: 1, Delivery: "d1", Commit: "c1"}
	publish := core.Subject{Stage: "publish", Round: 1, Commit: "c2", Remote: "origin", Base: "main"}
	at := func(waits core.Subject, phases ...core.Phase) *core.Run {
		r := &core.Run{Status: core.StatusAwaiting, Branch: "feature/x", Head: "c2", Playbook: &core.Playbook{Phases: phases}}
		for _, p := range phases {
			s := &core.Stage{ID: p.ID, Status: core.StageDone}
			if p.ID == waits.Stage {
				s.Status, s.Gate = core.StageGated, &core.Gate{Subject: waits}
			}
			if p.Act != "" {
				s.Tasks = []*core.Task{{Act: p.Act, Status: core.TaskDelivered}}
			}
			r.Stages = append(r.Stages, s)
		}
		return r
	}
	write, pull := core.Phase{ID: "write"}, core.Phase{ID: "publish", Act: core.ActPullRequest}
	ungated := at(now, write)
	ungated.Status, ungated.Stages[0].Status, ungated.Stages[0].Gate = core.StatusPaused, core.StageOpen, nil
	ungated.Pause = &core.Pause{Code: core.PauseAttempts}
	moved := now
	moved.Commit = "c3"
	for name, c := range map[string]struct {
		run  *core.Run
		word core.Body
		want core.Code
	}{
		"feedback on what waits":         {at(now, write), core.FeedbackGiven{Stage: "write", Text: "so", About: &now}, ""},
		"feedback on the round before":   {at(now, write), core.FeedbackGiven{Stage: "write", Text: "so", About: &before}, core.CodeConflict},
		"feedback on another commit":     {at(now, write), core.FeedbackGiven{Stage: "write", Text: "so", About: &moved}, core.CodeConflict},
		"feedback on a gate that closed": {ungated, core.FeedbackGiven{Stage: "write", Text: "so", About: &before}, core.CodeConflict},
		"feedback on a pause":            {ungated, core.FeedbackGiven{Stage: "write", Text: "so"}, ""},
		"rollback from what waits":       {at(publish, write, pull), core.RolledBack{From: "publish", Target: "write", About: &publish}, ""},
		"rollback from what waited":      {at(publish, write, pull), core.RolledBack{From: "write", Target: "write", About: &now}, core.CodeConflict},
		"rollback of the round before":   {at(now, write), core.RolledBack{From: "write", Target: "write", About: &before}, core.CodeConflict},
		"target of what waits":           {at(publish, write, pull), core.TargetChosen{Base: "develop", About: &publish}, ""},
		"target of what waited":          {at(publish, write, pull), core.TargetChosen{Base: "develop", About: &now}, core.CodeConflict},
	} {
		if err := core.Law(c.run, core.Person("ada"), c.word); core.CodeOf(err) != c.want {
			t.Errorf("%s: got %v, want code %q", name, err, c.want)
		}
	}
}

// TestAWishIsAboutTheWorkThatWasShown: the work of a project moves while nobody
// is asked.
func TestAWishIsAboutTheWorkThatWasShown(t *testing.T) {
	gate := core.Subject{Stage: core.PublishStage, Round: 1, Commit: "c2"}
	run := func() *core.Run {
		return &core.Run{
			Status: core.StatusAwaiting, Head: "c2", Playbook: &core.Playbook{Kind: "rules", Project: &core.Management{}},
			Stages: []*core.Stage{{ID: core.PublishStage, Status: core.StageGated, Gate: &core.Gate{Subject: gate}}},
		}
	}
	old := gate
	old.Commit = "c1"
	for name, c := range map[string]struct {
		about *core.Subject
		want  core.Code
	}{
		"nothing named":      {nil, ""},
		"the commit":         {&core.Subject{Commit: "c2"}, ""},
		"an older commit":    {&core.Subject{Commit: "c1"}, core.CodeConflict},
		"the gate":           {&gate, ""},
		"the gate before it": {&old, core.CodeConflict},
	} {
		err := core.Law(run(), core.Person("ada"), core.ChangesRequested{ID: "here-1", Text: "so", About: c.about})
		if core.CodeOf(err) != c.want {
			t.Errorf("%s: got %v, want code %q", name, err, c.want)
		}
	}
}
