package phases_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
)

func teamPhase(fallback string) core.Phase {
	return core.Phase{ID: "plan", Outputs: []string{"plan.md"}, Gate: core.GateApproval,
		Team: &core.Team{Spokes: []string{"a", "b"}, Hub: "dev", Fallback: fallback}}
}

func TestOneDoesTheWorkOfATeam(t *testing.T) {
	c := start(t, teamPhase("dev"))
	c.fail["b"] = true
	c.work()
	s := c.run.Stage("plan")
	alone := s.Tasks[len(s.Tasks)-1]
	if alone.Name != core.SoloTask || alone.Role != "dev" || alone.Status != core.TaskDone {
		t.Fatalf("the last task is %+v", alone)
	}
	if !slices.Equal(alone.Inputs, []core.Input{{Name: "plan-a.md"}}) {
		t.Errorf("it reads %v, and only a handed something in", alone.Inputs)
	}
	if s.Gate == nil || !slices.Contains(s.Gate.Notices, "dev does plan alone: nothing usable came from b") {
		t.Errorf("the gate is %+v", s.Gate)
	}
	c.fail["b"] = false
	c.say(core.Person("me"), core.FeedbackGiven{Stage: "plan", Text: "again"})
	c.work()
	if s.Reduced != "" || len(s.Live()) != 3 {
		t.Errorf("the next round has %d tasks, reduced by %q", len(s.Live()), s.Reduced)
	}
}

// TestWhoDoesTheWorkOfATeamIsAdmitted: who stands in must be there and able,
// too.
func TestWhoDoesTheWorkOfATeamIsAdmitted(t *testing.T) {
	for says, unfit := range map[string]func(p *core.Playbook){
		`there is no role "stand-in"`: func(*core.Playbook) {},
		"the role stand-in lacks capabilities that the work needs (code)": func(p *core.Playbook) {
			p.Roles["stand-in"], p.Phases[0].Needs = core.Role{Name: "stand-in"}, []string{"code"}
		},
	} {
		c := start(t, teamPhase("stand-in"))
		unfit(c.run.Playbook)
		c.fail["b"] = true
		c.work()
		if p := c.run.Pause; p == nil || p.Code != core.PauseAction || !strings.Contains(p.Reason, core.TaskID("plan", 1, core.SoloTask)+": "+says) {
			t.Errorf("%s: the run is %s: %+v", says, c.run.Status, p)
		}
		if s := c.run.Stage("plan"); s.Reduced != "" || len(s.Tasks) != 3 {
			t.Errorf("the team was reduced: %+v", s)
		}
	}
}

func TestATeamThatIsNeededPauses(t *testing.T) {
	c := start(t, teamPhase(""))
	c.fail["b"] = true
	c.work()
	if c.run.Pause == nil || c.run.Pause.Code != core.PauseAttempts {
		t.Errorf("the run is %s: %+v", c.run.Status, c.run.Pause)
	}
}

// TestATeamIsNotReducedWhileItWorks: whoever wants it, before every specialist
// has ended, or otherwise than the playbook says.
func TestATeamIsNotReducedWhileItWorks(t *testing.T) {
	decider := core.DecisionActor(phases.Decider{})
	reduced := core.TeamReduced{Stage: "plan", Round: 1, Role: "dev", Dropped: []string{"plan.r1.b", "plan.r1.hub"}, Reason: "x"}
	c := start(t, teamPhase("dev"))
	if err := core.Law(c.run, decider, reduced); err == nil {
		t.Error("a team is reduced while both specialists work")
	}
	for _, task := range c.run.Stage("plan").Tasks[:2] {
		task.Status, task.Counted = core.TaskWaiting, task.Limit
	}
	if err := core.Law(c.run, decider, reduced); err == nil {
		t.Error("a specialist that is used up is kept")
	}
	reduced.Dropped = []string{"plan.r1.a", "plan.r1.b", "plan.r1.hub"}
	if err := core.Law(c.run, decider, reduced); err != nil {
		t.Errorf("a team whose specialists are used up: %v", err)
	}
	reduced.Role = "a"
	if err := core.Law(c.run, decider, reduced); err == nil {
		t.Error("somebody does the work whom the playbook does not name")
	}
}
