package show

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhatIsShownIsTheGate: a manager's run can wait at its gate while an earlier stage
// is still open. What a person must name to approve is that of the gate.
func TestWhatIsShownIsTheGate(t *testing.T) {
	gate := &core.Gate{Subject: core.Subject{Stage: core.PublishStage, Commit: "c1"}}
	r := &core.Run{Alias: "r", Status: core.StatusAwaiting, Playbook: &core.Playbook{Kind: "manager", Project: &core.Management{}}, Stages: []*core.Stage{
		{ID: "api", Status: core.StageOpen, Branch: "b"},
		{ID: core.PublishStage, Status: core.StageGated, Gate: gate},
	}}
	d := Detail(r)
	if d.Gate != gate || d.Subject == nil || *d.Subject != gate.Subject || d.Stage != core.PublishStage {
		t.Errorf("stage %s, subject %+v, gate %+v", d.Stage, d.Subject, d.Gate)
	}
	if d.Reason != "stage "+core.PublishStage+" waits for an approval" {
		t.Errorf("it waits because %q", d.Reason)
	}
}
