package notice

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestWhatAPersonIsToldOfARun(t *testing.T) {
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	gated := &core.Stage{ID: "build", Status: core.StageGated, Gate: &core.Gate{Event: "run/r#9"}}
	for name, c := range map[string]struct {
		run  core.Run
		want string
	}{
		"at work":         {core.Run{Status: core.StatusActive}, ""},
		"at a gate":       {core.Run{Status: core.StatusAwaiting, Stages: []*core.Stage{gated}}, "approval run/r#9"},
		"paused":          {core.Run{Status: core.StatusPaused, Pause: &core.Pause{Code: core.PauseBudget, At: at}}, "pause pause/r/1772355600000000000"},
		"paused by them":  {core.Run{Status: core.StatusPaused, Pause: &core.Pause{Code: core.PausePerson, At: at}}, ""},
		"with its owner":  {core.Run{Status: core.StatusPaused, Pause: &core.Pause{Code: core.PauseProject, At: at}}, ""},
		"in review":       {core.Run{Status: core.StatusReview, WaitsSince: at}, "review review/r/1772355600000000000"},
		"asking":          {core.Run{Status: core.StatusActive, Questions: []core.Question{{ID: "q-1", At: at}}}, "question question/r/q-1"},
		"waiting for it":  {core.Run{Status: core.StatusPaused, Pause: &core.Pause{Code: core.PauseQuestion, At: at}, Questions: []core.Question{{ID: "q-1"}}}, "question question/r/q-1"},
		"completed":       {core.Run{Status: core.StatusCompleted, EndedAt: &at}, "ended ended/r"},
		"failed":          {core.Run{Status: core.StatusFailed, EndedAt: &at}, "ended ended/r"},
		"cancelled":       {core.Run{Status: core.StatusCancelled, EndedAt: &at}, ""},
		"at a gate, held": {core.Run{Status: core.StatusPaused, Stages: []*core.Stage{gated}, Pause: &core.Pause{Code: core.PausePerson, At: at}}, ""},
	} {
		c.run.ID, c.run.Alias, c.run.Playbook = "r", "brisk-otter", &core.Playbook{Phases: []core.Phase{{ID: "build"}}}
		var got []string
		for _, n := range notices(&c.run) {
			got = append(got, n.Kind+" "+n.ID)
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: %v, not %s", name, got, c.want)
		}
	}
}
