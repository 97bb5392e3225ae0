package main

import (
	"context"
	"fmt"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/waves"
	"github.com/stellwerk-dev/stellwerk/internal/prompt"
)

// packetSize compares the size of what the attempts of the fiftieth wave start
// from with that of the second, four delegations a wave.
func packetSize(ctx context.Context, _ *workshop) (o outcome, err error) {
	return packetGrowth(ctx, 4, 2)
}

// packetNarrow is the same of a run with a single delegation a wave. Its second wave
// has nearly nothing to read about; what is read fills its bounds by the sixth.
func packetNarrow(ctx context.Context, _ *workshop) (o outcome, err error) {
	return packetGrowth(ctx, 1, 6)
}

// packetGrowth compares what the fiftieth wave reads with what an early one does: the
// prompt, the packet and the delegation. The worse of a worker's and the planner's
// counts. Files that are only looked things up in, and the documents of others, are
// left out. The run is a real history: law, fold and decider.
func packetGrowth(ctx context.Context, perWave, early int) (o outcome, err error) {
	h := &waveHistory{perWave: perWave, now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC), worker: map[int]int{}, planner: map[int]int{}}
	if err := h.begin(); err != nil {
		return o, err
	}
	for h.planner[51] == 0 { // the planner closes the fiftieth wave before the next
		if err := h.step(); err != nil {
			return o, err
		}
		if err := ctx.Err(); err != nil {
			return o, err
		}
	}
	work, plan := float64(h.worker[50])/float64(h.worker[early]), float64(h.planner[50])/float64(h.planner[early])
	o = outcome{ratio: work, measured: fmt.Sprintf("%d bytes", h.worker[50]), base: fmt.Sprintf("%d", h.worker[early])}
	if plan > work {
		o = outcome{ratio: plan, measured: fmt.Sprintf("%d bytes (planner)", h.planner[50]), base: fmt.Sprintf("%d", h.planner[early])}
	}
	return o, nil
}

// waveHistory is a run whose planner delegates so many pieces of work in each wave,
// answers what workers ask, and goes on.
type waveHistory struct {
	perWave         int
	run             *core.Run
	head            core.Head
	now             time.Time
	worker, planner map[int]int // size of what is read, by wave
}

func (h *waveHistory) begin() error {
	started, err := feature(0)
	if err != nil {
		return err
	}
	started.Limits.Attempts, started.Limits.WallTime = 10_000, 1000*time.Hour
	started.Playbook = core.Playbook{
		Kind: "waves", Roles: map[string]core.Role{"planner": {Prompt: "Plan."}, "analyst": {Description: "reads and measures", Prompt: "Work."}},
		Project: &core.Management{
			Roles:    map[core.TaskKind]string{core.KindWave: "planner", core.KindResolve: "analyst"},
			Attempts: 3, Rounds: 1, Timeout: time.Hour, Waves: &core.WaveRules{Writes: core.WritesArtifacts, Waves: 60, Delegations: 20},
		},
	}
	return h.say(person(), started)
}

// say commits an event and what follows from it.
func (h *waveHistory) say(actor core.Actor, body core.Body) error {
	if err := h.add(actor, body); err != nil {
		return err
	}
	for {
		bodies := core.Decide(h.run, waves.Decider{})
		if len(bodies) == 0 {
			return nil
		}
		for _, b := range bodies {
			if err := h.add(core.ActorFor(h.run, waves.Decider{}, b), b); err != nil {
				return err
			}
		}
	}
}

func (h *waveHistory) add(actor core.Actor, body core.Body) error {
	if err := core.Law(h.run, actor, body); err != nil {
		return err
	}
	h.now = h.now.Add(time.Second)
	e, head, err := core.Seal("run/bench", h.head, h.now, actor, "", body)
	if err != nil {
		return err
	}
	h.run, h.head = core.FoldBody(h.run, e, body), head
	return nil
}

// step concludes the first effect.
func (h *waveHistory) step() error {
	for _, action := range core.Effects(h.run) {
		switch a := action.(type) {
		case core.StartAttempt:
			if err := h.measure(a.Attempt); err != nil {
				return err
			}
			return h.say(core.Engine(), conclude(h.run, action))
		case core.Verify:
			return h.say(core.Engine(), h.verified(a))
		default:
			return h.say(core.Engine(), conclude(h.run, action))
		}
	}
	return fmt.Errorf("the run stands still, %s: %s", h.run.Status, h.run.Waits())
}

// measure notes how much an attempt reads.
func (h *waveHistory) measure(attempt string) error {
	_, t, _ := h.run.Attempt(attempt)
	room := prompt.Room{Paths: prompt.Paths{Work: "/work", Checkout: true, In: "/in", Out: "/out"}, Inline: true, Tools: true}
	sizes, build := h.worker, prompt.BuildWorker
	files, err := []prompt.File(nil), error(nil)
	if t.Kind == core.KindWave {
		sizes, build = h.planner, prompt.BuildPlanner
		files, err = prompt.PlannerFiles(h.run, attempt, nil)
	} else {
		files, err = prompt.WorkerFiles(h.run, attempt)
	}
	if err != nil {
		return err
	}
	text, err := build(h.run, attempt, room)
	n := len(text)
	for _, f := range files {
		if f.Name == core.PacketFile || f.Name == prompt.BriefFile {
			n += len(f.Content)
		}
	}
	wave := h.run.Waves.N
	sizes[wave] = max(sizes[wave], n)
	return err
}

// verified is a verdict with what was handed in: a worker that asks and assumes,
// a planner that answers and goes on.
func (h *waveHistory) verified(a core.Verify) core.VerifyConcluded {
	_, t, _ := h.run.Attempt(a.Attempt)
	body := core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Passed: true}
	if d := h.run.Waves.Work(t.Stage); d != nil {
		body.Output = &core.WorkerOutput{
			Status: core.OutputCompleted, Compact: fmt.Sprintf("What %s found: the list of customers can be searched by name, and the index is large enough.", t.Stage),
			Optional:    []core.Asked{{Text: fmt.Sprintf("Is %s to look at names in other scripts as well?", t.Stage)}},
			Assumptions: []core.Claimed{{Key: t.Stage + ".scripts", Content: "Names are in Latin script."}},
			Facts:       []core.Claimed{{Key: t.Stage + ".size", Content: "There are 10,000 customers.", Sources: []string{"README.md"}}},
			Coverage:    core.Coverage{Met: []string{d.Brief.Criteria[0].Text}},
		}
		return body
	}
	decision := &core.PlannerDecision{Decision: core.CourseContinue, Reason: "There is more to look at."}
	for _, q := range h.run.Questions {
		decision.Answers = append(decision.Answers, core.Answering{Question: q.ID, Answer: "No: all of them are written in Latin script, and will be.", Sources: []string{"d1"}})
	}
	for i := range h.perWave {
		id := fmt.Sprintf("look-%02d-%d", h.run.Waves.N+1, i)
		decision.Delegations = append(decision.Delegations, core.Brief{
			ID: id, Agent: "analyst", Task: "Look at how the list of customers is searched, measure it, and write down what you find.",
			Criteria: []core.Criterion{{Text: "What was found is measured"}}, Requires: []string{}, Provided: []string{}, DependsOn: []string{}, Outputs: []string{id + ".md"},
		})
	}
	body.Decision = decision
	return body
}
