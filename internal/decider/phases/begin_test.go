package phases_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
)

// TestAStageIsBegunOnlyIfAdmitted: nobody is asked for work that they cannot do or
// that lacks something. A team's own documents are on their way.
func TestAStageIsBegunOnlyIfAdmitted(t *testing.T) {
	roles := map[string]core.Role{"dev": {Capabilities: []string{"code"}}, "critic": {}}
	for name, c := range map[string]struct {
		phase core.Phase
		code  core.PauseCode // "" where it begins
		says  string
	}{
		"able":            {core.Phase{Role: "dev", Needs: []string{"code"}, Inputs: []core.Input{{Name: "notes.md", Optional: true}}}, "", ""},
		"unable":          {core.Phase{Role: "critic", Needs: []string{"code"}}, core.PauseAction, "the role critic lacks capabilities that the work needs (code); delegate it to a role that has them: dev"},
		"nobody":          {core.Phase{Role: "ghost"}, core.PauseAction, `there is no role "ghost"`},
		"lacks an input":  {core.Phase{Role: "dev", Inputs: []core.Input{{Name: "notes.md", Optional: true}, {Name: "api.md"}, {Name: "db.md"}}}, core.PauseInput, "stage s needs api.md, which nothing handed in"},
		"a team":          {core.Phase{Team: &core.Team{Hub: "dev", Spokes: []string{"critic", "dev"}}}, "", ""},
		"a team, unable":  {core.Phase{Needs: []string{"code"}, Team: &core.Team{Hub: "dev", Spokes: []string{"critic"}}}, core.PauseAction, "s.r1.critic: the role critic lacks"},
		"a team, lacking": {core.Phase{Team: &core.Team{Hub: "dev", Spokes: []string{"critic"}}, Inputs: []core.Input{{Name: "api.md"}}}, core.PauseInput, "stage s needs api.md"},
		"the engine":      {core.Phase{Act: core.ActPullRequest}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.phase.ID = "s"
			run := &core.Run{
				Status: core.StatusActive, Playbook: &core.Playbook{Kind: "phases", Roles: roles, Phases: []core.Phase{c.phase}}, Limits: core.DefaultLimits(),
				Stages: []*core.Stage{{ID: "s", Status: core.StagePending}},
			}
			bodies := (phases.Decider{}).Decide(run)
			if len(bodies) == 0 {
				t.Fatal("nothing follows")
			}
			switch b := bodies[0].(type) {
			case core.StageOpened:
				if c.code != "" || len(bodies) < 2 {
					t.Errorf("it begins: %+v", bodies)
				}
			case core.RunPaused:
				if b.Code != c.code || len(bodies) != 1 || !strings.Contains(b.Reason, c.says) {
					t.Errorf("%s: %s", b.Code, b.Reason)
				}
			default:
				t.Errorf("%+v", b)
			}
		})
	}
}
