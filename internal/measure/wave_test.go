package measure_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/measure"
)

// What is delegated is part of its wave, with the planner who closes that; what one
// of them does after an answer belongs to the wave of then.
func TestWaves(t *testing.T) {
	tracker, head := measure.NewTracker(), core.Head{}
	type wave struct {
		Kind                measure.Kind
		ID, Parent, Outcome string
		Wave                int
	}
	var got []wave
	for _, b := range []core.Body{
		core.RunStarted{Run: "r", Playbook: core.Playbook{Name: "p", Kind: "waves"}},                              // 1
		core.StageOpened{Stage: "planner", Round: 1},                                                              // 2
		core.StagePassed{Stage: "planner", Round: 1},                                                              //
		core.WaveClosed{Wave: 0, Course: core.CourseContinue},                                                     // its first look
		core.WaveOpened{Wave: 1},                                                                                  // 5
		core.StageOpened{Stage: "licence", Round: 1},                                                              // 6
		core.TaskAdmitted{Task: "licence.r1", Stage: "licence", Round: 1},                                         // 7
		core.AttemptRequested{Task: "licence.r1", Attempt: "licence.r1.a1", N: 1},                                 // 8
		core.AttemptExited{Attempt: "licence.r1.a1", Kind: core.ExitFinished},                                     //
		core.VerifyConcluded{Task: "licence.r1", Attempt: "licence.r1.a1", Passed: true, Results: passed()},       // 10
		core.StageOpened{Stage: "planner", Round: 2},                                                              // 11
		core.StagePassed{Stage: "planner", Round: 2},                                                              //
		core.WaveClosed{Wave: 1, Course: core.CourseContinue},                                                     //
		core.WaveOpened{Wave: 2},                                                                                  // 14
		core.TaskAdmitted{Task: "licence.r1.again2", Stage: "licence", Round: 1},                                  // 15
		core.AttemptRequested{Task: "licence.r1.again2", Attempt: "licence.r1.again2.a1", N: 1},                   // 16
		core.AttemptExited{Attempt: "licence.r1.again2.a1", Kind: core.ExitFailed},                                //
		core.BriefEnded{Delegation: "licence", Status: core.DelegationFailed, Reason: "its attempts are used up"}, //
		core.StageDiscarded{Stage: "licence", Round: 1},                                                           //
		core.StageOpened{Stage: "prices", Round: 1},                                                               // 20
		core.TaskAdmitted{Task: "prices.r1", Stage: "prices", Round: 1},                                           // 21
		core.BriefEnded{Delegation: "prices", Status: core.DelegationDropped},                                     //
		core.StageDiscarded{Stage: "prices", Round: 1},                                                            //
		core.WaveClosed{Wave: 2, Course: core.CourseAbort},                                                        //
		core.WaveOpened{Wave: 3},                                                                                  // 25
		core.RunCancelled{},
	} {
		e, next, err := core.Seal("run/r", head, time.Unix(100+head.Seq, 0), core.Engine(), "", b)
		if err != nil {
			t.Fatal(err)
		}
		head = next
		pieces, err := tracker.Next(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			got = append(got, wave{p.Kind, number(p.ID), number(p.Parent), p.Outcome, p.Wave})
		}
	}
	want := []wave{
		{measure.Stage, "2", "1", measure.OK, 0},
		{measure.Attempt, "8", "7", "finished", 1},
		{measure.Check, "10/1", "8", measure.OK, 1},
		{measure.Task, "7", "6", measure.OK, 1},
		{measure.Stage, "11", "5", measure.OK, 1},
		{measure.Wave, "5", "1", measure.OK, 1},
		{measure.Attempt, "16", "15", "failed", 2},
		{measure.Task, "15", "6", measure.NotOK, 2},
		{measure.Stage, "6", "5", measure.Discarded, 1},
		{measure.Task, "21", "20", measure.Dropped, 2},
		{measure.Stage, "20", "14", measure.Discarded, 2},
		{measure.Wave, "14", "1", measure.NotOK, 2},
		{measure.Wave, "25", "1", measure.Dropped, 3},
		{measure.Run, "1", "", measure.Cancelled, 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func passed() []core.CheckResult { return []core.CheckResult{{Kind: core.CheckOutput, Passed: true}} }
