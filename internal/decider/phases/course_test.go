package phases_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
)

// course plays one run in which every agent delivers, and every check passes
// but those of the tasks that fail.
type course struct {
	t    *testing.T
	run  *core.Run
	head core.Head
	now  time.Time
	skip map[string][]core.SkipProposal // what a stage's plan proposes
	fail map[string]bool                // by the name of the task
	// holds says what a look before the work finds.
	holds bool
}

func start(t *testing.T, list ...core.Phase) *course {
	t.Helper()
	c := &course{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), skip: map[string][]core.SkipProposal{}, fail: map[string]bool{}}
	for i := range list {
		p := &list[i]
		p.Writes, p.Attempts, p.Timeout = core.WritesArtifacts, 1, time.Hour
		if p.Team == nil {
			p.Role = "dev"
		}
	}
	c.say(core.Person("me"), core.RunStarted{
		Run: "r", Alias: "r", Limits: core.DefaultLimits(), Base: "main", BaseCommit: "c0", Branch: "b", Isolation: "sandbox",
		Playbook: core.Playbook{Kind: "phases", Roles: map[string]core.Role{"dev": {Name: "dev"}, "a": {Name: "a"}, "b": {Name: "b"}}, Phases: list},
	})
	return c
}

// say commits what the law allows and lets the decider decide upon it.
func (c *course) say(actor core.Actor, body core.Body) {
	c.t.Helper()
	c.commit(actor, body)
	for bodies := core.Decide(c.run, phases.Decider{}); len(bodies) > 0; bodies = core.Decide(c.run, phases.Decider{}) {
		for _, b := range bodies {
			c.commit(core.ActorFor(c.run, phases.Decider{}, b), b)
		}
	}
}

func (c *course) commit(actor core.Actor, body core.Body) {
	c.t.Helper()
	if err := core.Law(c.run, actor, body); err != nil {
		c.t.Fatalf("%s: %v", core.TypeOf(body), err)
	}
	e, head, err := core.Seal("run/r", c.head, c.now, actor, "", body)
	if err != nil {
		c.t.Fatal(err)
	}
	if c.run, err = core.Fold(c.run, e); err != nil {
		c.t.Fatal(err)
	}
	c.head = head
}

// work answers every effect until the run waits for a person or is over.
func (c *course) work() {
	c.t.Helper()
	for c.run.Status == core.StatusActive {
		effects := core.Effects(c.run)
		if len(effects) == 0 {
			c.t.Fatalf("the run waits for nothing: %+v", c.run.Current())
		}
		switch a := effects[0].(type) {
		case core.StartAttempt:
			c.say(core.Engine(), core.AttemptStarted{Attempt: a.Attempt, Agent: "x"})
		case core.WatchAttempt:
			_, task, _ := c.run.Attempt(a.Attempt)
			d := &core.Delivery{}
			for _, out := range task.Outputs {
				d.Artifacts = append(d.Artifacts, core.Artifact{Name: out, Digest: fmt.Sprint(c.head.Seq)})
			}
			c.say(core.Engine(), core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitFinished, Delivery: d})
		case core.Verify:
			c.say(core.Engine(), core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Passed: !c.fail[c.run.Task(a.Task).Name], Skips: c.skip[a.Stage]})
		case core.Validate:
			c.say(core.Engine(), core.ValidateConcluded{Task: a.Task, Commit: c.run.Head, First: true, Passed: c.holds})
		case core.Notify:
			c.say(core.Engine(), core.PersonNotified(a))
		default:
			c.t.Fatalf("unexpected effect %T", a)
		}
	}
}

func (c *course) approve() {
	c.t.Helper()
	c.say(core.Person("me"), core.ApprovalGranted{Subject: c.run.Current().Gate.Subject})
	c.work()
}

func (c *course) rollBack(to string) {
	c.t.Helper()
	c.say(core.Person("me"), core.RolledBack{From: c.run.Current().ID, Target: to})
	c.work()
}

func (c *course) want(stage string, status core.StageStatus, round int) {
	c.t.Helper()
	if s := c.run.Stage(stage); s.Status != status || s.Round != round {
		c.t.Fatalf("stage %s is %s in round %d, want %s in round %d", stage, s.Status, s.Round, status, round)
	}
}
