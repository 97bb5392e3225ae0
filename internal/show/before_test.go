package show

import (
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func stages(ids ...string) []*core.Stage {
	var list []*core.Stage
	for _, id := range ids {
		list = append(list, &core.Stage{ID: id, Branch: "b/" + id})
	}
	return list
}

func TestWhatAStageComesAfter(t *testing.T) {
	rules := &core.Run{
		Playbook: &core.Playbook{Project: &core.Management{}}, Stages: stages("step-1", "step-2", "step-3"),
		Driving: core.Driving{Plan: &core.Plan{Steps: []core.Step{{ID: "1"}, {ID: "2"}, {ID: "3", After: []string{"2", "1", "gone"}}}}},
	}
	managed := &core.Run{
		Playbook: &core.Playbook{Project: &core.Management{Roles: map[core.TaskKind]string{core.KindManage: "lead"}}}, Stages: stages("api", "ui", "docs"),
		Managing: core.Managing{Delegations: []*core.Delegation{
			{ID: "t1", Stage: "api"}, {ID: "t2", Stage: "ui", Proposal: core.Proposal{After: []string{"t1"}}},
			{ID: "t3", Stage: "docs", Proposal: core.Proposal{After: []string{"ui", "b/api", "t1", "docs"}}},
		}},
	}
	waves := &core.Run{
		Playbook: &core.Playbook{Project: &core.Management{Waves: &core.WaveRules{}}}, Stages: stages("survey", "advice"),
		Waves: &core.Waves{Works: []*core.Delegated{{Brief: core.Brief{ID: "survey"}}, {Brief: core.Brief{ID: "advice", DependsOn: []string{"survey"}}}}},
	}
	for _, c := range []struct {
		run   *core.Run
		stage string
		want  []string
	}{
		{rules, "step-1", nil}, {rules, "step-3", []string{"step-1", "step-2"}},
		{managed, "api", nil}, {managed, "ui", []string{"api"}}, {managed, "docs", []string{"api", "ui"}},
		{waves, "advice", []string{"survey"}},
	} {
		if got := before(c.run, c.run.Stage(c.stage)); !slices.Equal(got, c.want) {
			t.Errorf("%s comes after %q, want %q", c.stage, got, c.want)
		}
	}
}
