package phases_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/phases"
	"github.com/stellwerk-dev/stellwerk/internal/wording/advicetest"
)

// world plays everything around a run: it commits what the law allows, lets
// the decider decide, and answers effects as agents, checks and people would,
// truthfully or not.
type world struct {
	t      *rapid.T
	run    *core.Run
	head   core.Head
	now    time.Time
	events []core.Event
}

func newWorld(t *rapid.T) *world {
	w := &world{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	limits := core.DefaultLimits()
	limits.CostUSD = rapid.SampledFrom([]float64{0, 0, 5}).Draw(t, "budget")
	limits.Project = drawProjectLimits(t)
	started := core.RunStarted{
		Run: "r", Alias: "r", Project: "p", Goal: "g", Title: "t", Playbook: drawPlaybook(t), Limits: limits,
		Base: "main", BaseCommit: "c0", Branch: "feature/x", Isolation: "sandbox",
	}
	if rapid.Bool().Draw(t, "yes") {
		started.Policy = &core.RunPolicy{Approve: true, By: "me"}
	}
	w.must(core.Person("me"), started)
	w.settle("")
	return w
}

func drawPlaybook(t *rapid.T) core.Playbook {
	roles := map[string]core.Role{"dev": {Name: "dev", Capabilities: []string{"code"}}, "a": {Name: "a"}, "b": {Name: "b"}, "solo": {Name: "solo"}}
	p := core.Playbook{Name: "p", Kind: "phases", Roles: roles}
	for i := range rapid.IntRange(1, 4).Draw(t, "phases") {
		phase := drawPhase(t, i)
		if i > 0 && len(p.Phases[i-1].Outputs) == 0 { // nobody hands it in, which the playbook's validator refuses
			phase.Inputs = nil
		}
		p.Phases = append(p.Phases, phase)
	}
	if rapid.Bool().Draw(t, "publish") {
		p.Phases = append(p.Phases, core.Phase{ID: "publish", Act: core.ActPullRequest, Gate: core.GateApproval, Writes: core.WritesArtifacts, Attempts: 1})
	}
	return p
}

func drawPhase(t *rapid.T, i int) core.Phase {
	ph := core.Phase{
		ID: fmt.Sprintf("s%d", i), Role: "dev", Timeout: time.Hour, Outputs: []string{fmt.Sprintf("o%d.md", i)},
		Writes:   rapid.SampledFrom([]core.Writes{core.WritesCode, core.WritesArtifacts}).Draw(t, "writes"),
		Gate:     rapid.SampledFrom([]core.GateKind{core.GateAuto, core.GateApproval}).Draw(t, "gate"),
		Attempts: rapid.IntRange(1, 3).Draw(t, "attempts"),
		Findings: rapid.SampledFrom([]core.FindingsMode{core.FindingsAsk, core.FindingsAuto}).Draw(t, "findings"),
		Skip:     rapid.IntRange(0, 9).Draw(t, "skip") == 0,
	}
	if rapid.IntRange(0, 9).Draw(t, "when") == 0 {
		ph.When = ".x"
	}
	if i > 0 && rapid.Bool().Draw(t, "input") {
		ph.Inputs = []core.Input{{Name: fmt.Sprintf("o%d.md", i-1)}}
	}
	if rapid.IntRange(0, 5).Draw(t, "team") == 0 {
		ph.Role, ph.Team, ph.Writes = "", &core.Team{Spokes: []string{"a", "b"}, Hub: "dev"}, core.WritesArtifacts
		ph.Team.Fallback = rapid.SampledFrom([]string{"", "dev", "solo"}).Draw(t, "fallback")
	}
	if rapid.IntRange(0, 2).Draw(t, "plans") == 0 {
		ph.Outputs = append(ph.Outputs, core.PlanArtifact)
	}
	ph.Skippable = rapid.Bool().Draw(t, "skippable")
	if ph.Team == nil && rapid.IntRange(0, 3).Draw(t, "verify-first") == 0 {
		ph.VerifyFirst, ph.Outputs, ph.Done = true, nil, core.Check{Kind: core.CheckAll, Of: []core.Check{{Kind: core.CheckCommand, Run: "make"}}}
		if rapid.IntRange(0, 4).Draw(t, "left-out") == 0 { // its command was not found in the repository
			ph.Done.Of = nil
		}
	}
	return ph
}

// try commits body if the law allows it, as the engine would.
func (w *world) try(actor core.Actor, body core.Body, cause string) error {
	if err := core.Law(w.run, actor, body); err != nil {
		return err
	}
	e, head, err := core.Seal("run/r", w.head, w.now, actor, cause, body)
	if err != nil {
		return err
	}
	before := snapshot(w.t, w.run)
	run, err := core.Fold(w.run, e)
	if err != nil {
		return err
	}
	w.run, w.head = run, head
	w.events = append(w.events, e)
	checkStep(w.t, before, run, e, body)
	checkInvariants(w.t, w.run)
	checkStart(w.t, before, body)
	checkTime(w.t, before, w.run)
	return nil
}

func (w *world) must(actor core.Actor, body core.Body) {
	if err := w.try(actor, body, ""); err != nil {
		w.t.Fatalf("%s refused: %v", core.TypeOf(body), err)
	}
}

// settle lets the decider decide until it has nothing more to say. What it
// proposes must be lawful: the law is the net, not the plan.
func (w *world) settle(cause string) {
	d := phases.Decider{}
	for i := 0; ; i++ {
		if i > 50 {
			w.t.Fatalf("the decider does not come to rest: %s", w.run.Status)
		}
		bodies := core.Decide(w.run, d)
		if diff := cmp.Diff(bodies, core.Decide(snapshot(w.t, w.run), d)); diff != "" {
			w.t.Fatalf("the same state decided differently:\n%s", diff)
		}
		if len(bodies) == 0 {
			if err := advicetest.Check(w.run); err != nil {
				w.t.Fatalf("%v", err)
			}
			checkRest(w.t, w.run)
			checkAllowance(w.t, w.run)
			return
		}
		for _, b := range bodies {
			if err := w.try(core.ActorFor(w.run, d, b), b, cause); err != nil {
				w.t.Fatalf("decision %s is unlawful: %v", core.TypeOf(b), err)
			}
		}
	}
}

func snapshot(t *rapid.T, r *core.Run) *core.Run {
	if r == nil {
		return nil
	}
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatalf("state does not encode: %v", err)
	}
	var c core.Run
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatalf("state does not decode: %v", err)
	}
	return &c
}

func TestRandomHistoriesStayLawful(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			w.now = w.now.Add(time.Duration(rapid.IntRange(-5, 600).Draw(t, "dt")) * time.Second)
			actor, body := w.drawInput()
			if body == nil {
				continue
			}
			if err := w.try(actor, body, ""); err == nil {
				w.settle(w.events[len(w.events)-1].ID)
			}
		}
		w.checkReplay()
		w.goWell()
	})
}

// TestHonestWorldCompletes: with agents that deliver, checks that pass and a
// person who approves, every run completes.
func TestHonestWorldCompletes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { newWorld(t).goWell() })
}

// goWell lets everything go well from now on: whatever happened before, a run
// that was not cancelled completes. No history leads into a corner that a
// person has no way out of.
func (w *world) goWell() {
	for range 600 {
		if w.run.Status.Terminal() {
			break
		}
		w.now = w.now.Add(10 * time.Minute)
		actor, body := w.honest()
		if body == nil {
			w.t.Fatalf("nothing to do, yet the run is %s (%+v)", w.run.Status, w.run.Pause)
		}
		w.must(actor, body)
		w.settle(w.events[len(w.events)-1].ID)
	}
	if w.run.Status != core.StatusCompleted && w.run.Status != core.StatusCancelled {
		w.t.Fatalf("the run is %s: %+v", w.run.Status, w.run.Pause)
	}
}

// checkReplay folds the stored events again, from bytes, and expects the same
// state and an unbroken chain.
func (w *world) checkReplay() {
	var run *core.Run
	for _, e := range w.events {
		line, err := e.Line()
		if err != nil {
			w.t.Fatal(err)
		}
		var read core.Event
		if err := json.Unmarshal(line, &read); err != nil {
			w.t.Fatal(err)
		}
		if run, err = core.Fold(run, read); err != nil {
			w.t.Fatal(err)
		}
	}
	if diff := cmp.Diff(snapshot(w.t, w.run), snapshot(w.t, run)); diff != "" {
		w.t.Fatalf("replay differs:\n%s", diff)
	}
	if _, err := core.VerifyChain(core.Head{}, w.events); err != nil {
		w.t.Fatal(err)
	}
}
