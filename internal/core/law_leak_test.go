package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// leaking is a run whose publication was prepared with these finds, and asked
// about.
func leaking(leaks ...core.Leak) (*core.Run, core.Subject) {
	subject := core.Subject{Stage: "publish", Round: 1, Delivery: "d", Commit: "c", Ref: "refs/heads/x", Base: "main"}
	return &core.Run{
		ID: "r", Alias: "brisk-otter", Status: core.StatusAwaiting, Head: "c", Verified: "c",
		Playbook: &core.Playbook{Phases: []core.Phase{{ID: "publish", Act: core.ActPullRequest, Gate: core.GateApproval}}},
		Stages: []*core.Stage{{
			ID: "publish", Round: 1, Status: core.StageGated,
			Gate:  &core.Gate{Subject: subject, Leaks: leaks},
			Tasks: []*core.Task{{ID: "publish.r1", Stage: "publish", Act: core.ActPullRequest, Status: core.TaskDelivered, Prepared: &core.PublishPrepared{Subject: subject, Leaks: leaks}}},
		}},
	}, subject
}

func TestLeaksArePublishedOnAPersonsWordOnly(t *testing.T) {
	found := core.Leak{Rule: "github-token", File: "a.env", Line: 2}
	for _, c := range []struct {
		name   string
		leaks  []core.Leak
		actor  core.Actor
		with   bool
		policy bool
		want   core.Code
	}{
		{"nothing found", nil, core.Person("p"), false, false, ""},
		{"nothing found, policy", nil, core.Policy("p"), false, true, ""},
		{"nothing found, said all the same", nil, core.Person("p"), true, false, core.CodeInvalid},
		{"found, not said", []core.Leak{found}, core.Person("p"), false, false, core.CodeConflict},
		{"found, said", []core.Leak{found}, core.Person("p"), true, false, ""},
		{"found, policy", []core.Leak{found}, core.Policy("p"), true, true, core.CodeForbidden},
		{"found, session", []core.Leak{found}, core.Actor{Kind: core.ActorSession, ID: "s"}, true, false, core.CodeForbidden},
		{"not searched", []core.Leak{{Rule: core.LeakUnsearched}}, core.Person("p"), false, false, core.CodeConflict},
	} {
		run, subject := leaking(c.leaks...)
		if c.policy {
			run.Policy = &core.RunPolicy{Approve: true}
		}
		err := core.Law(run, c.actor, core.ApprovalGranted{Subject: subject, WithLeaks: c.with})
		if core.CodeOf(err) != c.want && (err != nil || c.want != "") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestPublishingNeedsTheWordOnLeaks: whatever a record says was approved.
func TestPublishingNeedsTheWordOnLeaks(t *testing.T) {
	found := core.Leak{Rule: "github-token", File: "a.env", Line: 2}
	for _, c := range []struct {
		name  string
		leaks []core.Leak
		with  bool
		by    core.Actor
		ok    bool
	}{
		{"nothing found", nil, false, core.Policy("p"), true},
		{"without the word", []core.Leak{found}, false, core.Person("p"), false},
		{"a policy's word", []core.Leak{found}, true, core.Policy("p"), false},
		{"a person's word", []core.Leak{found}, true, core.Person("p"), true},
	} {
		run, subject := leaking(c.leaks...)
		gate := run.Stages[0].Gate
		run.Status, gate.Approved, gate.By, gate.WithLeaks = core.StatusActive, true, c.by, c.with
		err := core.Law(run, core.Actor{Kind: core.ActorDecider, ID: "phases"}, core.PublishRequested{Task: "publish.r1", Subject: subject})
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestAGateNamesItsLeaks: nobody is asked without being told.
func TestAGateNamesItsLeaks(t *testing.T) {
	run, subject := leaking(core.Leak{Rule: "github-token", File: "a.env", Line: 2})
	run.Status, run.Stages[0].Status, run.Stages[0].Gate = core.StatusActive, core.StageOpen, nil
	decider := core.Actor{Kind: core.ActorDecider, ID: "phases"}
	if err := core.Law(run, decider, core.ApprovalRequested{Subject: subject}); err == nil {
		t.Error("a gate that names nothing is lawful")
	}
	if err := core.Law(run, decider, core.ApprovalRequested{Subject: subject, Leaks: core.Leaks(run.Stages[0])}); err != nil {
		t.Error(err)
	}
}

// leakRulings are what the law says of a publication that looks like a secret.
func leakRulings() map[string]ruling {
	found := core.Leak{Rule: "github-token", File: "a.env", Line: 2}
	_, subject := leaking(found)
	state := func() *core.Run { r, _ := leaking(found); return r }
	none := func(r *core.Run) { r.Stages[0].Gate.Leaks, r.Stages[0].Tasks[0].Prepared.Leaks = nil, nil }
	asking := func() *core.Run {
		r := state()
		r.Status, r.Stages[0].Status, r.Stages[0].Gate = core.StatusActive, core.StageOpen, nil
		return r
	}
	approved := func() *core.Run {
		r := state()
		gate := r.Stages[0].Gate
		r.Status, gate.Approved, gate.By, gate.WithLeaks = core.StatusActive, true, core.Person("p"), true
		return r
	}
	return map[string]ruling{
		"a gate with leaks": {
			state: asking, actor: decides, body: core.ApprovalRequested{Subject: subject, Leaks: []core.Leak{found}},
			not: map[string]refusal{"that it does not name": {body: core.ApprovalRequested{Subject: subject}, says: "does not name what looks like a secret"}},
		},
		"an approval with leaks": {
			state: state, actor: core.Person("p"), body: core.ApprovalGranted{Subject: subject, WithLeaks: true},
			not: map[string]refusal{
				"that it does not mention": {body: core.ApprovalGranted{Subject: subject}, says: "1 place that looks like a secret"},
				"that are not there":       {change: none, says: "nothing in it looks like a secret"},
				"of a session": {change: func(r *core.Run) {
					r.Session = "s"
					r.Word = &core.Word{Means: core.MeansApprove, Subject: &subject}
				}, actor: core.Actor{Kind: core.ActorSession, ID: "s"}, says: "on a person's own word only"},
			},
		},
		"a publication with leaks": {
			state: approved, actor: decides, body: core.PublishRequested{Task: "publish.r1", Subject: subject},
			not: map[string]refusal{
				"that nobody agreed to": {change: func(r *core.Run) { r.Stages[0].Gate.WithLeaks = false }, says: "nobody has said that what looks like a secret"},
				"that a policy let by":  {change: func(r *core.Run) { r.Stages[0].Gate.By = core.Policy("p") }, says: "nobody has said that what looks like a secret"},
			},
		},
	}
}
