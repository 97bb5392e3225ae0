package cockpit

import (
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/cockpit/track"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestHowEventsLook: by what came of it, not by how that is said.
func TestHowEventsLook(t *testing.T) {
	for _, c := range []struct {
		body core.Body
		look track.State
		mark string
	}{
		{core.AttemptExited{Kind: core.ExitFinished}, track.Still, ""},
		{core.AttemptExited{Kind: core.ExitCancelled}, track.Still, ""},
		{core.AttemptExited{Kind: core.ExitTimeout}, track.Failed, "failed"},
		{core.AttemptExited{Kind: "to come"}, track.Failed, "failed"},
		{core.VerifyConcluded{Passed: true}, track.Passed, ""},
		{core.VerifyConcluded{Passed: true, Error: "no disk"}, track.Failed, "failed"},
		{core.VerifyConcluded{}, track.Failed, "failed"},
		{core.MergeConcluded{Passed: true}, track.Passed, ""},
		{core.MergeConcluded{Passed: true, Conflicts: []string{"a.go"}}, track.Failed, "failed"},
		{core.PublishPrepared{Passed: true}, track.Passed, ""},
		{core.PublishPrepared{}, track.Failed, "failed"},
		{core.PublishConcluded{OK: true}, track.Passed, ""},
		{core.PublishConcluded{Lapsed: true}, track.Failed, "failed"},
		{core.ValidateConcluded{Passed: true}, track.Passed, ""},
		{core.ValidateConcluded{}, track.Failed, "failed"},
		{core.BriefEnded{Status: core.DelegationDropped}, track.Still, ""},
		{core.BriefEnded{Status: core.DelegationFailed}, track.Failed, "failed"},
		{core.RunPaused{}, track.Waiting, "asked"},
		{core.RunResumed{}, track.Still, "answered"},
		{core.ApprovalGranted{}, track.Passed, "answered"},
		{core.TimerFired{}, track.Still, ""},
	} {
		e, _, err := core.Seal(core.RunStream("r1"), core.Head{}, time.Unix(1, 0), core.Engine(), "", c.body)
		if err != nil {
			t.Fatal(err)
		}
		if look, mark := tone(e), landmarkOf(e); look != c.look || mark != c.mark {
			t.Errorf("%+v looks %s and is marked %q, want %s and %q", c.body, look, mark, c.look, c.mark)
		}
	}
}
