package service

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestWhereARunIsSentBackTo: to the stage that is named, otherwise to where the
// findings at the gate point, otherwise to whoever can act on a judgement.
func TestWhereARunIsSentBackTo(t *testing.T) {
	judged := &core.Rollback{Default: "build"}
	for name, c := range map[string]struct {
		to    string
		gate  *core.Gate
		rules *core.Rollback
		want  string
	}{
		"named":                      {"plan", &core.Gate{Suggestion: "build"}, judged, "plan"},
		"suggested":                  {"", &core.Gate{Suggestion: "build"}, judged, "build"},
		"suggested without rules":    {"", &core.Gate{Suggestion: "build"}, nil, "build"},
		"nothing found, with rules":  {"", &core.Gate{}, judged, "build"},
		"nothing found, and no rule": {"", &core.Gate{}, nil, ""},
		"no gate":                    {"", nil, judged, ""},
	} {
		r := &core.Run{
			Playbook: &core.Playbook{Phases: []core.Phase{{ID: "build", Writes: core.WritesCode}, {ID: "review", Writes: core.WritesArtifacts, Rollback: c.rules}}},
			Stages:   []*core.Stage{{ID: "build", Status: core.StageDone}, {ID: "review", Status: core.StageGated, Gate: c.gate}},
		}
		if got := sendBack(r, r.Stages[1], core.RolledBack{From: "review", Target: c.to}).Target; got != c.want {
			t.Errorf("%s: to %q, not %q", name, got, c.want)
		}
	}
}
