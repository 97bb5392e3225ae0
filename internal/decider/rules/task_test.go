package rules

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhoseWorkAStepIs: a step may name who codes it. A fix is theirs, too, unless the playbook has somebody for fixes.
func TestWhoseWorkAStepIs(t *testing.T) {
	for name, c := range map[string]struct {
		step, fixer string
		kind        core.TaskKind
		want        string
	}{
		"code, as the playbook":         {"", "dev", core.KindCode, "dev"},
		"code, by who is named":         {"artist", "dev", core.KindCode, "artist"},
		"a fix, as the playbook":        {"", "dev", core.KindFix, "dev"},
		"a fix, by who is named":        {"artist", "dev", core.KindFix, "artist"},
		"a fix, by who fixes":           {"artist", "medic", core.KindFix, "medic"},
		"a fix, by who fixes, no name":  {"", "medic", core.KindFix, "medic"},
		"a review is never the coder's": {"artist", "dev", core.KindReview, "critic"},
	} {
		r := &core.Run{Playbook: &core.Playbook{Project: &core.Management{Roles: map[core.TaskKind]string{
			core.KindCode: "dev", core.KindFix: c.fixer, core.KindReview: "critic",
		}}}}
		bodies := admit(r, &core.Stage{ID: "step-1", Round: 1}, &core.Step{ID: "1", Role: c.step}, c.kind)
		if len(bodies) != 1 {
			t.Fatalf("%s: %v", name, bodies)
		}
		if task, ok := bodies[0].(core.TaskAdmitted); !ok || task.Role != c.want {
			t.Errorf("%s: admitted %+v, want it for %s", name, bodies[0], c.want)
		}
	}
}
