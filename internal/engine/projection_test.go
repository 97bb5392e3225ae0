package engine

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestATaskThatAnotherRoundReplaces: a round that ends in the step which begins
// the next leaves no task behind that seems to run.
func TestATaskThatAnotherRoundReplaces(t *testing.T) {
	round := func(n int, id string) *core.Run {
		return &core.Run{ID: "run", Stages: []*core.Stage{{
			ID: "manager", Round: n, Tasks: []*core.Task{{ID: id, Status: core.TaskRunning}},
		}}}
	}
	body, err := json.Marshal(core.StagePassed{Stage: "manager", Round: 1})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(1700000000, 0)
	for name, c := range map[string]struct {
		event core.Event
		want  string
	}{
		"it passed":    {core.Event{Type: core.TypeStagePassed, Body: body, At: at}, "completed"},
		"it was ended": {core.Event{Type: core.TypeStageOpened, Body: []byte(`{}`), At: at}, "failed"},
	} {
		t.Run(name, func(t *testing.T) {
			status := map[string]string{}
			for _, row := range taskRows(round(1, "manager.r1"), round(2, "manager.r2"), []core.Event{c.event}) {
				status[row.ID] = row.Status
			}
			if status["run/manager.r1"] != c.want || status["run/manager.r2"] != "running" {
				t.Errorf("got %v, want %s of the first", status, c.want)
			}
		})
	}
}
