package measure_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/measure"
)

// told is what a test wants to know of a piece.
type told struct {
	Kind             measure.Kind
	ID, Parent       string // numbers of events
	Outcome          string
	Seconds          float64
	Stage, Role, Use string
}

// follow hands bodies to a tracker, a second apart, and returns what ended.
func follow(t *testing.T, bodies ...core.Body) ([]told, *measure.Tracker) {
	t.Helper()
	tracker, head := measure.NewTracker(), core.Head{}
	var got []told
	for i, b := range bodies {
		e, next, err := core.Seal("run/r", head, time.Unix(100+int64(i), 0), core.Engine(), "", b)
		if err != nil {
			t.Fatal(err)
		}
		head = next
		pieces, err := tracker.Next(e)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range pieces {
			if p.Seq != e.Seq {
				t.Errorf("%s ended by event %d, not %d", p.ID, e.Seq, p.Seq)
			}
			got = append(got, told{p.Kind, number(p.ID), number(p.Parent), p.Outcome, p.Ended.Sub(p.Began).Seconds(), p.Stage, p.Role, p.Agent})
		}
	}
	return got, tracker
}

func number(id string) string {
	if len(id) <= len("run/r#") {
		return ""
	}
	return id[len("run/r#"):]
}

var started = core.RunStarted{Run: "r", Playbook: core.Playbook{Name: "p", Kind: "phases"}}

func TestAStageWithAnAttemptAndItsChecks(t *testing.T) {
	got, tracker := follow(t,
		started,
		core.StageOpened{Stage: "build", Round: 1},
		core.TaskAdmitted{Task: "build.r1", Stage: "build", Round: 1, Role: "developer"},
		core.AttemptRequested{Task: "build.r1", Attempt: "build.r1.a1", N: 1},
		core.AttemptStarted{Attempt: "build.r1.a1", Agent: "claude"},
		core.AttemptExited{Attempt: "build.r1.a1", Kind: core.ExitFinished, Duration: 250 * time.Millisecond},
		core.VerifyRequested{Task: "build.r1", Attempt: "build.r1.a1"},
		core.VerifyConcluded{Task: "build.r1", Attempt: "build.r1.a1", Passed: true, Results: []core.CheckResult{
			{Kind: core.CheckChanged, Passed: true, Elapsed: time.Millisecond * 500}, {Kind: core.CheckCommand, Passed: true, Elapsed: time.Hour}}},
		core.StagePassed{Stage: "build", Round: 1},
		core.RunCompleted{},
	)
	want := []told{
		{measure.Attempt, "4", "3", "finished", 0.25, "build", "developer", "claude"},
		{measure.Check, "8/1", "4", measure.OK, 0.5, "build", "developer", ""},
		{measure.Check, "8/2", "4", measure.OK, 1, "build", "developer", ""}, // not before it was asked for
		{measure.Task, "3", "2", measure.OK, 5, "build", "developer", ""},
		{measure.Stage, "2", "1", measure.OK, 7, "build", "", ""},
		{measure.Run, "1", "", measure.OK, 9, "", "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !tracker.Over() {
		t.Error("the run is not over")
	}
}

// What is cut off ends with what it was part of, and only once.
func TestWhatIsCutOff(t *testing.T) {
	got, _ := follow(t,
		started,
		core.StageOpened{Stage: "review", Round: 1},
		core.TaskAdmitted{Task: "review.r1", Stage: "review", Round: 1},
		core.AttemptRequested{Task: "review.r1", Attempt: "review.r1.a1", N: 1},
		core.FeedbackGiven{Stage: "review", Text: "again"},
		core.StageOpened{Stage: "review", Round: 2},
		core.TaskAdmitted{Task: "review.r2", Stage: "review", Round: 2},
		core.StageOpened{Stage: "review", Round: 3},
		core.RunCancelled{},
		core.StagePassed{Stage: "review", Round: 3},
	)
	want := []told{
		{measure.Task, "3", "2", measure.Dropped, 2, "review", "", ""},
		{measure.Stage, "2", "1", measure.SentBack, 3, "review", "", ""},
		{measure.Task, "7", "6", measure.Dropped, 1, "review", "", ""},
		{measure.Stage, "6", "1", measure.Superseded, 2, "review", "", ""},
		{measure.Attempt, "4", "3", string(core.ExitLost), 5, "review", "", ""},
		{measure.Stage, "8", "1", measure.Dropped, 1, "review", "", ""},
		{measure.Run, "1", "", measure.Cancelled, 8, "", "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A manager's turn is a round of its stage; its task hands nothing in.
func TestATurnOfAManager(t *testing.T) {
	got, _ := follow(t,
		started,
		core.StageOpened{Stage: "manager", Round: 1, Reason: core.OpenWoken},
		core.TaskAdmitted{Task: "manager.r1", Stage: "manager", Round: 1, Kind: core.KindManage, Role: "manager"},
		core.AttemptRequested{Task: "manager.r1", Attempt: "manager.r1.a1", N: 1},
		core.AttemptExited{Attempt: "manager.r1.a1", Kind: core.ExitNoStart},
		core.AttemptRequested{Task: "manager.r1", Attempt: "manager.r1.a2", N: 2},
		core.AttemptExited{Attempt: "manager.r1.a2", Kind: core.ExitFinished},
		core.StagePassed{Stage: "manager", Round: 1},
	)
	want := []told{
		{measure.Attempt, "4", "3", "no_start", 1, "manager", "manager", ""},
		{measure.Attempt, "6", "3", "finished", 1, "manager", "manager", ""},
		{measure.Task, "3", "2", measure.OK, 4, "manager", "manager", ""},
		{measure.Stage, "2", "1", measure.OK, 6, "manager", "", ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
