package waves_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/waves"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
	"github.com/stellwerk-dev/stellwerk/internal/wording/advicetest"
)

// tester is what a world needs of a test, random or not.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// world plays everything around a run in waves: it commits what the law allows,
// lets the decider decide, and answers effects as agents, checks, git and people
// would, truthfully or not.
type world struct {
	t       tester
	draw    func(what string, n int) int // a choice among n
	run     *core.Run
	head    core.Head
	now     time.Time
	events  []core.Event
	commits int
	briefs  int
	kind    bool                                                // everything succeeds, everybody is willing
	plan    func(w *world) core.PlannerDecision                 // what the planner decides
	work    func(w *world, d *core.Delegated) core.WorkerOutput // what a worker answers
	merging func(core.Merge) bool                               // whether a merge is clean; by luck where nil
	asked   map[string]bool
	refs    map[string]string // branches in the yard

	unmergeable string // delegation whose merges all conflict
}

func newWorld(t tester, draw func(string, int) int) *world {
	w := &world{t: t, draw: draw, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), asked: map[string]bool{}, refs: map[string]string{}}
	w.plan, w.work = (*world).decide, (*world).respond
	return w
}

func (w *world) begin(writes core.Writes) *world {
	w.t.Helper()
	limits := core.DefaultLimits()
	limits.WallTime, limits.Sterile = 0, 1000
	roles := map[string]core.Role{"planner": {}, "scout": {Capabilities: []string{"read"}}, "dev": {Capabilities: []string{"read", "write"}}}
	w.must(core.Person("me"), core.RunStarted{
		Run: "r", Alias: "r", Project: "p", Goal: "g", Title: "t", Limits: limits,
		Base: "main", BaseCommit: "c0", Branch: "feature/x", Isolation: "sandbox",
		Playbook: core.Playbook{Name: "w", Kind: "waves", Roles: roles, Project: &core.Management{
			Roles: map[core.TaskKind]string{core.KindWave: "planner", core.KindResolve: "dev"}, Attempts: 2, Timeout: time.Hour, Push: core.PushAsk,
			Waves: &core.WaveRules{Writes: writes, Waves: 60, Delegations: 6},
		}},
	})
	return w
}

func (w *world) add(actor core.Actor, cause string, body core.Body) error {
	w.t.Helper()
	if err := core.Law(w.run, actor, body); err != nil {
		return err
	}
	e, head, err := core.Seal("run/r", w.head, w.now, actor, cause, body)
	if err != nil {
		return err
	}
	w.watch(body)
	w.run = core.FoldBody(w.run, e, body)
	w.head, w.events = head, append(w.events, e)
	return nil
}

// watch holds what must be true of every history, by its own reckoning.
func (w *world) watch(body core.Body) {
	w.t.Helper()
	switch b := body.(type) {
	case core.QuestionAsked:
		if w.asked[b.ID] {
			w.t.Fatalf("%q is asked twice\n%s", b.Text, w.account())
		}
		w.asked[b.ID] = true
	case core.AttemptRequested:
		d := w.run.Waves.Work(w.run.Task(b.Task).Stage)
		if d == nil {
			return
		}
		for _, id := range d.Brief.DependsOn {
			if w.run.Waves.Work(id).Status != core.DelegationDone {
				w.t.Fatalf("%s begins before %s is done\n%s", d.Brief.ID, id, w.account())
			}
			if s := w.run.Stage(id); s.Branch != "" && !s.Status.Closed() {
				w.t.Fatalf("%s begins before %s is merged\n%s", d.Brief.ID, id, w.account())
			}
		}
		for _, name := range d.Brief.Requires {
			if !w.run.Known(name) {
				w.t.Fatalf("%s begins without %s\n%s", d.Brief.ID, name, w.account())
			}
		}
	case core.RunPaused:
		for _, d := range w.run.Waves.Works {
			if b.Code == core.PauseBarren && d.Status == core.DelegationWaiting && w.run.Startable(d) {
				w.t.Fatalf("the run pauses, and %s could begin\n%s", d.Brief.ID, w.account())
			}
		}
	case core.RunCompleted:
		for _, d := range w.run.Waves.Works {
			if !d.Status.Over() || len(d.Unmet) > 0 {
				w.t.Fatalf("the run is completed, and %s is %s with %v unmet\n%s", d.Brief.ID, d.Status, d.Unmet, w.account())
			}
			if text := w.unmet(d); text != "" {
				w.t.Fatalf("the run is completed, and %q of %s was never met\n%s", text, d.Brief.ID, w.account())
			}
			if s := w.run.Stage(d.Brief.ID); d.Status == core.DelegationDone && s.Status == core.StageOmitted {
				w.t.Fatalf("the run is completed, and what %s did is not in it\n%s", d.Brief.ID, w.account())
			}
		}
	default:
	}
}

// unmet is a criterion that a delegation left unmet and that no delegation in its
// place, done, was asked for; "" where there is none.
func (w *world) unmet(d *core.Delegated) string {
	if d.Status != core.DelegationPartial {
		return "" // met, or given up with a reason
	}
	place := map[string]bool{d.Brief.ID: true}
	for range w.run.Waves.Works {
		for _, heir := range w.run.Waves.Works {
			for _, id := range heir.Brief.Replaces {
				place[heir.Brief.ID] = place[heir.Brief.ID] || place[id]
			}
		}
	}
	for _, text := range d.Answer.Coverage.Unmet {
		if !slices.ContainsFunc(w.run.Waves.Works, func(heir *core.Delegated) bool {
			return place[heir.Brief.ID] && heir.Status == core.DelegationDone && slices.ContainsFunc(heir.Brief.Criteria, func(c core.Criterion) bool { return core.Plain(c.Text) == core.Plain(text) })
		}) {
			return text
		}
	}
	return ""
}

// try is one step of the engine: an event, and what is decided upon it.
func (w *world) try(actor core.Actor, body core.Body) error {
	w.t.Helper()
	if err := w.add(actor, "", body); err != nil {
		return err
	}
	cause := w.events[len(w.events)-1].ID
	for i := 0; ; i++ {
		bodies := core.Decide(w.run, waves.Decider{})
		if w.head.Seq%16 == 0 {
			if diff := cmp.Diff(bodies, core.Decide(w.decoded(), waves.Decider{})); diff != "" {
				w.t.Fatalf("the same state decided differently:\n%s", diff)
			}
		}
		if len(bodies) == 0 {
			if err := advicetest.Check(w.run); err != nil {
				w.t.Fatalf("%v", err)
			}
			return nil
		}
		if i >= 60 {
			w.t.Fatalf("the decider does not come to rest: %T\n%s", bodies[0], w.account())
		}
		for _, b := range bodies {
			if err := w.add(core.ActorFor(w.run, waves.Decider{}, b), cause, b); err != nil {
				w.t.Fatalf("after %s: decision %s %+v is unlawful: %v\n%s", core.TypeOf(body), core.TypeOf(b), b, err, w.account())
			}
		}
	}
}

func (w *world) must(actor core.Actor, body core.Body) {
	w.t.Helper()
	if err := w.try(actor, body); err != nil {
		w.t.Fatalf("%s refused: %v (%s)\n%s", core.TypeOf(body), err, wording.Hint(err), w.account())
	}
}

func (w *world) decoded() *core.Run {
	raw, err := json.Marshal(w.run)
	if err != nil {
		w.t.Fatalf("encode: %v", err)
	}
	var c core.Run
	if err := json.Unmarshal(raw, &c); err != nil {
		w.t.Fatalf("decode: %v", err)
	}
	return &c
}

func (w *world) luck(what string, oneIn int) bool { return !w.kind && w.draw(what, oneIn) == 0 }

// once lets one thing happen: an effect, or what a person does where all waits.
func (w *world) once() {
	w.t.Helper()
	w.now = w.now.Add(time.Minute)
	if open := w.run.Questions; len(open) > 0 && w.luck("an early answer", 10) {
		w.must(core.Person("me"), core.QuestionAnswered{ID: open[w.draw("which question", len(open))].ID, Text: "while you are at it"})
		return
	}
	if effects := core.Effects(w.run); len(effects) > 0 {
		w.effect(effects[w.draw("effect", len(effects))])
		return
	}
	switch {
	case w.run.Gated() != nil:
		w.must(core.Person("me"), core.ApprovalGranted{Subject: w.run.Gated().Gate.Subject})
	case w.run.Pause != nil && (w.run.Pause.Reason == "" || w.run.Pause.Hint == "" && len(w.run.Pause.Choices) == 0):
		w.t.Fatalf("the run waits for a person and does not say what for: %+v", w.run.Pause)
	case w.run.Pause != nil && w.run.Pause.Code == core.PauseQuestion:
		i := w.draw("which question", len(w.run.Questions))
		w.must(core.Person("me"), core.QuestionAnswered{ID: w.run.Questions[i].ID, Text: "as you like"})
	case w.run.Pause != nil && w.run.Pause.Code == core.PauseAttempts:
		w.must(core.Person("me"), core.AttemptsReset{Stage: w.run.Pause.Stage})
	case w.run.Pause != nil:
		w.must(core.Person("me"), core.RunResumed{})
	default:
		if due := core.Timers(w.run); len(due) > 0 {
			w.now = due[0]
			w.must(core.Engine(), core.TimerFired{Timer: "due"})
			return
		}
		w.t.Fatalf("the run is %s and waits for nothing\n%s", w.run.Status, w.account())
	}
}

func (w *world) effect(a core.Action) {
	w.t.Helper()
	switch a := a.(type) {
	case core.StartAttempt:
		w.must(core.Engine(), core.AttemptStarted{Attempt: a.Attempt, Agent: "x"})
	case core.WatchAttempt:
		w.exit(a.Attempt)
	case core.StopAttempt:
		w.must(core.Engine(), core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitCancelled})
	case core.Verify:
		w.verify(a)
	case core.Merge:
		w.merge(a)
	case core.MoveBranch:
		w.move(a)
	case core.HoldRef:
		w.must(core.Engine(), core.RefKept(a))
	case core.PreparePublish:
		s := w.run.Stage(a.Stage)
		w.must(core.Engine(), core.PublishPrepared{Task: a.Task, Passed: true, Subject: core.Subject{Stage: s.ID, Round: s.Round, Commit: w.run.Head, Ref: "x"}})
	case core.Publish:
		w.must(core.Engine(), core.PublishConcluded{Task: a.Task, OK: true, Number: 1})
	case core.Notify:
		w.must(core.Engine(), core.PersonNotified(a))
	case core.Sweep:
		w.must(core.Engine(), core.RunSwept{})
	case core.Validate, core.ReadPlan, core.WritePlan, core.WatchPullRequest, core.EvaluateCondition, core.MergeIntoBase:
		w.t.Fatalf("a run in waves asks for %T", a)
	}
}

// move moves a branch; whoever did may end before it tells of it.
func (w *world) move(a core.MoveBranch) {
	w.t.Helper()
	w.refs[a.Ref] = a.New
	if a.New == "" {
		delete(w.refs, a.Ref)
	}
	if !w.luck("untold", 3) {
		w.must(core.Engine(), core.BranchMoved(a))
	}
}

func (w *world) exit(attempt string) {
	_, task, at := w.run.Attempt(attempt)
	body := core.AttemptExited{Attempt: attempt, Kind: core.ExitFinished, Delivery: &core.Delivery{}}
	switch {
	case w.luck("lost", 12):
		body.Kind, body.Delivery = core.ExitLost, nil
	default:
		if task.Writes == core.WritesCode {
			w.commits++
			body.Delivery.Commit = fmt.Sprintf("c%d", w.commits)
		}
		for _, name := range task.Outputs {
			body.Delivery.Artifacts = append(body.Delivery.Artifacts, core.Artifact{Name: name, Digest: fmt.Sprint(name, at.ID)})
		}
	}
	w.must(core.Engine(), body)
}

func (w *world) verify(a core.Verify) {
	w.t.Helper()
	task := w.run.Task(a.Task)
	body := core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Passed: !w.luck("fails", 6)}
	switch {
	case !body.Passed:
		body.Results = []core.CheckResult{{Check: "output"}}
	case task.Kind == core.KindWave:
		decision := w.plan(w)
		body.Decision = &decision
	case w.run.Waves.Work(task.Stage) != nil && task.Kind != core.KindResolve:
		out := w.work(w, w.run.Waves.Work(task.Stage))
		body.Output = &out
	}
	w.must(core.Engine(), body)
}

func (w *world) merge(a core.Merge) {
	s := w.run.Stage(a.Stage)
	body := core.MergeConcluded{Task: a.Task, Into: w.run.Head, From: s.Line, Passed: !w.luck("conflict", 5) && a.Stage != w.unmergeable}
	if w.merging != nil {
		body.Passed = w.merging(a)
	}
	if body.Passed {
		w.commits++
		body.Commit = fmt.Sprintf("c%d", w.commits)
	} else {
		body.Conflicts = []string{"a.go"}
	}
	w.must(core.Engine(), body)
}

// decide is a planner of any temper.
func (w *world) decide() core.PlannerDecision {
	d := core.PlannerDecision{Decision: core.CourseFinish, Reason: "it is time"}
	for _, q := range w.run.Questions {
		if w.kind || w.draw("answers", 3) == 0 {
			d.Answers = append(d.Answers, core.Answering{Question: q.ID, Answer: "known"})
		}
	}
	for _, c := range w.run.Waves.Conflicts() {
		if w.kind || w.draw("resolves", 2) == 0 {
			d.Resolutions = append(d.Resolutions, core.Resolution{Conflict: c.ID, Content: c.Sides[0].Text, Reason: "it is so"})
		}
	}
	for _, o := range w.run.Waves.Works {
		open := !o.Status.Over() || o.Status == core.DelegationFailed && len(o.Unmet) > 0
		if open && (w.kind || w.draw("drops", 4) == 0) {
			d.Dropped = append(d.Dropped, core.Dropped{ID: o.Brief.ID, Reason: "not needed"})
		}
	}
	switch {
	case w.kind && len(w.run.Waves.Unmet()) == 0:
	case w.kind || w.draw("course", 3) > 0:
		d.Decision = core.CourseContinue
		for range 1 + w.draw("briefs", 4) {
			d.Delegations = append(d.Delegations, w.brief(d.Delegations))
		}
	case w.draw("ask", 4) == 0:
		d.Decision, d.Questions = core.CourseAsk, []core.Asked{{Text: fmt.Sprint("what of ", w.draw("topic", 5), "?")}}
	}
	return d
}

func (w *world) brief(before []core.Brief) core.Brief {
	w.briefs++
	b := core.Brief{ID: fmt.Sprint("b", w.briefs), Agent: "dev", Task: fmt.Sprint("task ", w.briefs), Criteria: []core.Criterion{{Text: "works"}}}
	if w.draw("another criterion", 2) == 0 {
		b.Criteria = append(b.Criteria, core.Criterion{Text: fmt.Sprint("is fast ", w.draw("how fast", 5))})
	}
	for _, d := range w.run.Waves.Works {
		if len(d.Unmet) > 0 && (w.kind || w.draw("replaces", 2) == 0) {
			b.Replaces = append(b.Replaces, d.Brief.ID)
		}
	}
	if w.kind {
		return b
	}
	for _, other := range before {
		if w.draw("depends", 3) == 0 {
			b.DependsOn = append(b.DependsOn, other.ID)
		}
	}
	for _, d := range w.run.Waves.Works {
		if w.draw("depends on the past", 8) == 0 {
			b.DependsOn = append(b.DependsOn, d.Brief.ID)
		}
	}
	switch w.draw("flaw", 12) {
	case 0:
		b.DependsOn = append(b.DependsOn, b.ID)
	case 1:
		b.Agent = "nobody"
	case 2:
		b.Agent, b.Needs = "scout", []string{"write"}
	case 3:
		b.Requires = []string{[]string{"schema", "schema_v1", "schema.md", "detail:schema_v2"}[w.draw("which name", 4)]}
	case 4:
		b.DependsOn = append(b.DependsOn, "ghost")
	case 5:
		b.Outputs = []string{[]string{"schema", "schema_v1.md", "schema_v2.md"}[w.draw("which version", 3)]}
	}
	return b
}

// respond is a worker of any temper.
func (w *world) respond(d *core.Delegated) core.WorkerOutput {
	out := core.WorkerOutput{Status: core.OutputCompleted, Compact: "done"}
	var some core.Coverage
	for i, c := range d.Brief.Criteria {
		out.Coverage.Met = append(out.Coverage.Met, c.Text)
		if i > 0 && !w.kind && w.draw("meets", 2) == 0 {
			some.Met = append(some.Met, c.Text)
		} else {
			some.Unmet = append(some.Unmet, c.Text)
		}
	}
	if w.kind {
		return out
	}
	question := core.Asked{Text: fmt.Sprint("which ", w.draw("which", 6), "?"), About: "key"}
	switch w.draw("ends", 8) {
	case 0:
		out.Status, out.Blocking, out.Coverage = core.OutputBlocked, []core.Asked{question}, some
	case 1:
		out.Status, out.Coverage = core.OutputPartial, some
	case 2:
		out.Status, out.Coverage = core.OutputFailed, some
	case 3:
		out.Optional = []core.Asked{question}
	case 4:
		out.Facts = []core.Claimed{{Key: "key", Content: fmt.Sprint("value ", w.draw("value", 3))}}
	}
	return out
}

func (w *world) account() string {
	var b strings.Builder
	from := max(len(w.events)-40, 0)
	for _, e := range w.events[from:] {
		fmt.Fprintf(&b, "%4d %s %.200s\n", e.Seq, e.Type, e.Body)
	}
	for _, d := range w.run.Waves.Works {
		fmt.Fprintf(&b, "%s %s waits %v unmet %v after %v\n", d.Brief.ID, d.Status, d.Waits, d.Unmet, d.Brief.DependsOn)
	}
	return b.String()
}

// types are the events so far, in short.
func (w *world) types() []core.Type {
	var all []core.Type
	for _, e := range w.events {
		all = append(all, e.Type)
	}
	return all
}

func (w *world) has(t core.Type) bool { return slices.Contains(w.types(), t) }
