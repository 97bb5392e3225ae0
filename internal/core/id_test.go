package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestAnAttemptIsNoCheckWhateverItsStageIsCalled(t *testing.T) {
	for _, stage := range []string{"build", "check", "check-style", "check-style-0123456789ab-1"} {
		attempt := core.AttemptID(core.TaskID(stage, 1, ""), 1)
		if core.IsCheckID(attempt) {
			t.Errorf("%s is taken for a check", attempt)
		}
		if id := core.CheckID(attempt, "0123456789ab", 2); !core.IsCheckID(id) {
			t.Errorf("%s is not taken for a check", id)
		}
	}
}
