package core_test

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestTheReviewOfARound is the newest one of those who stayed, whoever worked after it.
func TestTheReviewOfARound(t *testing.T) {
	first, second := &core.Review{Status: core.ReviewChangesRequested}, &core.Review{Status: core.ReviewApproved}
	reviewed := func(r *core.Review) *core.Task { return &core.Task{Attempts: []*core.Attempt{{Review: r}}} }
	dropped := reviewed(second)
	dropped.Status = core.TaskDropped
	for name, test := range map[string]struct {
		tasks []*core.Task
		want  *core.Review
	}{
		"nobody was there":             {nil, nil},
		"nobody has begun":             {[]*core.Task{{}}, nil},
		"the newest of two":            {[]*core.Task{reviewed(first), reviewed(second)}, second},
		"a fix followed":               {[]*core.Task{reviewed(first), reviewed(nil)}, first},
		"the next one has not begun":   {[]*core.Task{reviewed(first), {}}, first},
		"who was let go has no say":    {[]*core.Task{reviewed(first), dropped}, first},
		"of a task, its last attempt":  {[]*core.Task{{Attempts: []*core.Attempt{{Review: first}, {Review: second}}}}, second},
		"an attempt after it had none": {[]*core.Task{{Attempts: []*core.Attempt{{Review: first}, {}}}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (&core.Stage{Tasks: test.tasks}).Review(); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
		})
	}
}
