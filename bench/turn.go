package main

import (
	"context"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/manager"
	"github.com/stellwerk-dev/stellwerk/internal/prompt"
)

// turnSize compares the size of what a manager reads after 1,000 finished pieces
// of work with that after 10. The runs are real histories: law, fold and decider.
func turnSize(ctx context.Context, _ *workshop) (o outcome, err error) {
	few, err := promptAfter(ctx, 10)
	if err != nil {
		return o, err
	}
	many, err := promptAfter(ctx, 1000)
	if err != nil {
		return o, err
	}
	return outcome{ratio: float64(many) / float64(few), measured: fmt.Sprintf("%d bytes", many), base: fmt.Sprintf("%d", few)}, nil
}

// promptAfter is how long the prompt of the turn is in which the manager hears
// that its n-th piece of work has ended.
func promptAfter(ctx context.Context, n int) (int, error) {
	h := &managedHistory{now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	started, err := feature(0)
	if err != nil {
		return 0, err
	}
	if err := h.begin(started); err != nil {
		return 0, err
	}
	for h.ended < n || h.run.Turning() == nil {
		if err := h.step(); err != nil {
			return 0, err
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	text, err := prompt.BuildManager(h.run, h.run.Turning().ID, prompt.Desk{
		Paths: prompt.Paths{Work: "/work", In: "/in", Out: "/out"}, Plan: []byte(managedPlan), Inline: true,
	})
	return len(text), err
}

// managedHistory is a project whose manager delegates one piece of work after
// the other, says what it did, and is asked something now and then.
type managedHistory struct {
	stream string
	run    *core.Run
	head   core.Head
	now    time.Time
	ended  int
	each   int   // pieces of work that a turn delegates; 0 for one
	made   int64 // commits
	events []core.Event
}

func (h *managedHistory) begin(started core.RunStarted) error {
	h.stream = core.RunStream(started.Run)
	started.Playbook = core.Playbook{
		Kind: "manager", Roles: map[string]core.Role{"boss": {Prompt: "Manage."}, "dev": {Prompt: "Work."}},
		Project: &core.Management{
			Roles:    map[core.TaskKind]string{core.KindManage: "boss", core.KindWork: "dev", core.KindResolve: "dev"},
			Done:     core.Check{Kind: core.CheckAll, Of: []core.Check{{Kind: core.CheckCommand, Run: "go test ./..."}}},
			Attempts: 3, Rounds: 1, Timeout: time.Hour, Watch: &core.Watch{Every: 5 * time.Minute, Silent: 10 * time.Minute},
		},
	}
	return h.say(person(), started)
}

// say commits an event and what follows from it.
func (h *managedHistory) say(actor core.Actor, body core.Body) error {
	if err := h.add(actor, body); err != nil {
		return err
	}
	for {
		bodies := core.Decide(h.run, manager.Decider{})
		if len(bodies) == 0 {
			return nil
		}
		for _, b := range bodies {
			if err := h.add(core.ActorFor(h.run, manager.Decider{}, b), b); err != nil {
				return err
			}
		}
	}
}

func (h *managedHistory) add(actor core.Actor, body core.Body) error {
	if err := core.Law(h.run, actor, body); err != nil {
		return err
	}
	h.now = h.now.Add(time.Second)
	e, head, err := core.Seal(h.stream, h.head, h.now, actor, "", body)
	if err != nil {
		return err
	}
	h.run, h.head = core.FoldBody(h.run, e, body), head
	h.events = append(h.events, e)
	return nil
}

// step concludes the first effect. Before a turn ends, its manager has acted.
func (h *managedHistory) step() error {
	for _, action := range core.Effects(h.run) {
		switch a := action.(type) {
		case core.WatchAttempt:
			return h.end(a.Attempt)
		case core.ReadPlan:
			return h.say(core.Engine(), core.PlanRead{Found: true, Plan: core.Plan{Commit: a.Commit, Digest: "d", Steps: []core.Step{{ID: "1", Title: "Write notes"}}}})
		case core.Merge:
			s := h.run.Stage(a.Stage)
			h.ended++
			return h.say(core.Engine(), core.MergeConcluded{Task: a.Task, Into: h.run.Head, From: s.Line, Commit: h.commit(), Passed: true})
		default:
			return h.say(core.Engine(), conclude(h.run, action))
		}
	}
	return fmt.Errorf("the project stands still, %s %s", h.run.Status, h.run.Waits())
}

func (h *managedHistory) end(attempt string) error {
	_, t, _ := h.run.Attempt(attempt)
	delivery := &core.Delivery{Empty: true}
	if t.Kind == core.KindManage {
		agent := core.Actor{Kind: core.ActorAgent, ID: attempt}
		for range max(1, h.each) {
			n := h.run.Managing.Delegated + 1
			work := core.Proposal{Title: fmt.Sprintf("Note %d", n), Prompt: fmt.Sprintf("Write note number %d, and test what you wrote.", n)}
			if err := h.say(agent, core.TaskProposed{Delegation: core.DelegationID(n), Proposal: work}); err != nil {
				return err
			}
		}
		if err := h.say(agent, core.MessageSent{Voice: core.VoiceGreen, Text: fmt.Sprintf("Note %d is being written. The others are done, and nothing stands in the way.", h.run.Managing.Delegated)}); err != nil {
			return err
		}
	} else {
		delivery = &core.Delivery{Commit: h.commit(), Tree: commit(h.made)}
	}
	return h.say(core.Engine(), core.AttemptExited{Attempt: attempt, Kind: core.ExitFinished, Summary: "I wrote the note and tested it.", Duration: time.Minute, Delivery: delivery})
}

func (h *managedHistory) commit() string {
	h.made++
	return commit(h.made + 1)
}
