package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhatIsUnderWay: what runs is waited for, whether the run is paused or not. Only a verification that a pause stopped
// is not.
func TestWhatIsUnderWay(t *testing.T) {
	t.Parallel()
	pauses := map[string]*core.Pause{"none": nil, "calm": {}, "stop": {Stop: true}}
	for _, c := range []struct {
		task core.Task
		want map[string]string // by pause
	}{
		{core.Task{ID: "a.r1", Status: core.TaskRunning, Attempts: []*core.Attempt{{ID: "a.r1.a1"}}}, map[string]string{"none": "attempt a.r1.a1", "calm": "attempt a.r1.a1", "stop": "attempt a.r1.a1"}},
		{core.Task{ID: "a.r1", Status: core.TaskVerifying}, map[string]string{"none": "the verification of a.r1", "calm": "the verification of a.r1"}},
		{core.Task{ID: "p", Status: core.TaskRunning, Act: core.ActPullRequest}, map[string]string{"none": "publishing", "calm": "publishing", "stop": "publishing"}},
		{core.Task{ID: "a.r1", Status: core.TaskWaiting}, nil}, {core.Task{ID: "a.r1", Status: core.TaskDelivered}, nil},
		{core.Task{ID: "a.r1", Status: core.TaskDone}, nil}, {core.Task{ID: "a.r1", Status: core.TaskDropped}, nil},
	} {
		for name, pause := range pauses {
			r := &core.Run{Pause: pause, Stages: []*core.Stage{{Tasks: []*core.Task{{Status: core.TaskDone}}}, {Tasks: []*core.Task{&c.task}}}}
			if got := r.Busy(); got != c.want[name] {
				t.Errorf("a task that is %s, pause %s: %q is under way, want %q", c.task.Status, name, got, c.want[name])
			}
			if r.Publishing() != (c.task.Act != "") {
				t.Errorf("a task that is %s, pause %s: publishing is %v", c.task.Status, name, r.Publishing())
			}
		}
	}
}
