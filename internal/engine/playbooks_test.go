package engine_test

import (
	"fmt"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestEqualPlaybooksAreHeldOnce, and different ones are not mixed up, however many there are.
func TestEqualPlaybooksAreHeldOnce(t *testing.T) {
	b := newBench(t)
	const runs, others = 6, 40
	for n := range runs + others {
		body := start(fmt.Sprintf("r%d", n), core.DefaultLimits())
		if body.Project = fmt.Sprintf("p%d", n); n >= runs {
			body.Playbook.Name = body.Project
		}
		b.submit(body.Run, core.Person("me"), body)
	}
	b.close()
	b.rest() // which has read nothing yet
	for n := range runs + others {
		want := fmt.Sprintf("p%d", n)
		if run := b.load(fmt.Sprintf("r%d", n)); n >= runs && run.Playbook.Name != want {
			t.Errorf("the playbook of %s is %s", run.ID, run.Playbook.Name)
		}
	}
	for n := range runs {
		if b.engine.Playbook(fmt.Sprintf("r%d", n)) != b.engine.Playbook("r0") {
			t.Errorf("r%d holds a playbook of its own", n)
		}
	}
}
