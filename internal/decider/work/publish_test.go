package work_test

import (
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// TestWhoApprovesAPublicationIsToldAllOfIt: what is unenforced, what the change touches, and what looks like a secret.
func TestWhoApprovesAPublicationIsToldAllOfIt(t *testing.T) {
	leaks := []core.Leak{{Rule: "github-token", File: "a.env", Line: 3}}
	s := &core.Stage{ID: "publish", Status: core.StageOpen, Tasks: []*core.Task{{
		ID: "publish", Prepared: &core.Prepared{Notices: []string{"changes CLAUDE.md"}, Leaks: leaks},
	}}}
	for isolation, first := range map[string][]string{"sandbox": nil, "none": work.Unenforced(&core.Run{Isolation: "none"})} {
		r := &core.Run{Isolation: isolation, Stages: []*core.Stage{s}}
		bodies := work.Prepare(r, s)
		if len(bodies) != 1 {
			t.Fatalf("%v", bodies)
		}
		asked, ok := bodies[0].(core.ApprovalRequested)
		if want := append(slices.Clone(first), "changes CLAUDE.md"); !ok || !slices.Equal(asked.Notices, want) || !slices.Equal(asked.Leaks, leaks) {
			t.Errorf("isolation %s: asked with %+v, want the notices %q", isolation, bodies[0], want)
		}
	}
}
