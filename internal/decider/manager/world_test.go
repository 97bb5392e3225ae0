package manager_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/manager"
	"github.com/stellwerk-dev/stellwerk/internal/decider/rules"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
	"github.com/stellwerk-dev/stellwerk/internal/wording/advicetest"
)

// tester is what a world needs of a test, random or not.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// world plays everything around a project's run: it commits what the law allows,
// lets the decider decide, and answers effects as agents, checks, git, the forge
// and people would, truthfully or not.
type world struct {
	t       tester
	draw    func(what string, n int) int // a choice among n
	run     *core.Run
	head    core.Head
	now     time.Time
	events  []core.Event
	commits int
	wishes  int
	kind    bool                      // everything succeeds, everybody is willing
	play    func(w *world, id string) // what the manager does when it has its turn
	drafts  map[string][]core.Step    // steps of the plans that were proposed, by digest
	plan    core.Plan                 // as it stands on the run's branch
	quick   bool                      // the expensive checks are left out
	watch   watch
}

func newWorld(t tester, draw func(string, int) int) *world {
	w := &world{t: t, draw: draw, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), drafts: map[string][]core.Step{}, watch: newWatch()}
	w.play = (*world).act
	return w
}

// begin starts a run of kind manager.
func (w *world) begin() *world {
	w.t.Helper()
	limits := core.DefaultLimits()
	limits.WallTime = 0 // its timer would hide that a run waits for nothing
	limits.Parallel -= w.draw("taken places", limits.Parallel)
	p := playbook("manager")
	p.Project.Push = []core.PushRule{core.PushAsk, core.PushStanding}[w.draw("push", 2)]
	w.must(core.Person("me"), core.RunStarted{
		Run: "r", Alias: "r", Project: "p", Goal: "g", Title: "t", Playbook: p, Limits: limits,
		Base: "main", BaseCommit: "c0", Branch: "feature/x", Isolation: "sandbox",
	})
	return w
}

func playbook(kind string) core.Playbook {
	m := &core.Management{
		Roles: map[core.TaskKind]string{
			core.KindWork: "dev", core.KindCode: "dev", core.KindReview: "critic", core.KindFix: "dev", core.KindResolve: "dev", core.KindPlan: "dev",
		},
		Done:   core.Check{Kind: core.CheckCommand, Run: "make"},
		Review: core.ReviewRule{When: core.ReviewNever}, Push: core.PushAsk, Attempts: 2, Rounds: 2, Timeout: time.Hour,
	}
	if kind == "manager" {
		m.Roles[core.KindManage] = "boss"
		m.Reviews = 2
		m.Watch = &core.Watch{Every: 5 * time.Minute, Silent: 10 * time.Minute}
	}
	roles := map[string]core.Role{}
	for _, name := range []string{"boss", "dev", "critic"} {
		roles[name] = core.Role{Name: name}
	}
	return core.Playbook{Name: kind, Kind: kind, Roles: roles, Project: m}
}

func (w *world) decider() core.Decider {
	if w.run.Playbook.Kind == "rules" {
		return rules.Decider{}
	}
	return manager.Decider{}
}

// add judges an event and folds it.
func (w *world) add(actor core.Actor, cause string, body core.Body) error {
	w.t.Helper()
	if err := core.Law(w.run, actor, body); err != nil {
		return err
	}
	e, head, err := core.Seal("run/r", w.head, w.now, actor, cause, body)
	if err != nil {
		return err
	}
	var before *core.Run
	if !w.quick {
		before = w.run.Clone()
	}
	w.run = core.FoldBody(w.run, e, body)
	w.head, w.events = head, append(w.events, e)
	if !w.quick {
		w.watch.step(w, before, e, body)
	}
	return nil
}

// try is one step of the engine: an event, and what is decided upon it.
func (w *world) try(actor core.Actor, body core.Body) error {
	w.t.Helper()
	if err := w.add(actor, "", body); err != nil {
		return err
	}
	cause := w.events[len(w.events)-1].ID
	for i := 0; ; i++ {
		d := w.decider()
		bodies := core.Decide(w.run, d)
		if w.head.Seq%16 == 0 && !w.quick { // now and then: it takes longer than all else
			if diff := cmp.Diff(bodies, core.Decide(w.decoded(), d)); diff != "" {
				w.t.Fatalf("the same state decided differently:\n%s", diff)
			}
		}
		if len(bodies) == 0 {
			if err := advicetest.Check(w.run); err != nil {
				w.t.Fatalf("%v", err)
			}
			break
		}
		if i >= 60 {
			w.t.Fatalf("the decider does not come to rest: %T", bodies[0])
		}
		for _, b := range bodies {
			actor := core.ActorFor(w.run, d, b)
			if wanted, ok := b.(core.AttemptRequested); ok && w.luck("no slot", 25) {
				actor, b = core.Engine(), core.ClaimRefused{Task: wanted.Task, Claim: slot()}
			}
			if err := w.add(actor, cause, b); err != nil {
				w.t.Fatalf("after %s: decision %s %+v is unlawful: %v\n%s", core.TypeOf(body), core.TypeOf(b), b, err, w.account())
			}
		}
	}
	if !w.quick {
		w.watch.rest(w)
	}
	return nil
}

func (w *world) must(actor core.Actor, body core.Body) {
	w.t.Helper()
	if err := w.try(actor, body); err != nil {
		w.t.Fatalf("%s refused: %v (%s)\n%s", core.TypeOf(body), err, wording.Hint(err), w.account())
	}
}

// slot is what agents of other runs may hold.
func slot() core.Claim { return core.Claim{Kind: core.ClaimSlot, Key: "attempts"} }

func blocked(r *core.Run) bool {
	for _, s := range r.Stages {
		if slices.ContainsFunc(s.Tasks, func(t *core.Task) bool { return t.Blocked != nil }) {
			return true
		}
	}
	return false
}

// decoded is the state as a snapshot brings it back.
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

// restart is another engine that takes over: it folds the events anew, or reads
// a snapshot.
func (w *world) restart() {
	var again *core.Run
	var err error
	for _, e := range w.events {
		if again, err = core.Fold(again, e); err != nil {
			w.t.Fatalf("fold %s: %v", e.Type, err)
		}
	}
	snapshot := w.decoded()
	for name, other := range map[string]*core.Run{"events": again, "snapshot": snapshot} {
		want, _ := json.Marshal(w.run)
		got, _ := json.Marshal(other)
		if string(want) != string(got) {
			w.t.Fatalf("the state from the %s is another:\n%s", name, cmp.Diff(string(want), string(got)))
		}
	}
	w.run = snapshot
}

func (w *world) commit() string {
	w.commits++
	return fmt.Sprintf("c%d", w.commits)
}

func (w *world) luck(what string, oneIn int) bool {
	return !w.kind && w.draw(what, oneIn) == 0
}

// answer does what an effect asks for, as the world may.
func (w *world) answer(a core.Action) {
	switch a := a.(type) {
	case core.ReadPlan:
		w.must(core.Engine(), core.PlanRead{Plan: core.Plan{Commit: a.Commit, Digest: w.plan.Digest, Steps: w.plan.Steps}})
	case core.WritePlan:
		w.writePlan()
	case core.StartAttempt:
		w.must(core.Engine(), core.AttemptStarted{Attempt: a.Attempt, Agent: "x"})
	case core.WatchAttempt:
		w.exit(a)
	case core.StopAttempt:
		w.must(core.Engine(), core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitCancelled})
	case core.Verify:
		w.verify(a)
	case core.Merge:
		w.merge(a)
	case core.Validate:
		w.validate(a)
	case core.MoveBranch:
		w.must(core.Engine(), core.BranchMoved(a))
	case core.HoldRef:
		w.must(core.Engine(), core.RefKept(a))
	case core.PreparePublish:
		s := w.run.Stage(a.Stage)
		w.must(core.Engine(), core.PublishPrepared{Task: a.Task, Passed: !w.luck("red", 8), Subject: core.Subject{Stage: s.ID, Round: s.Round, Commit: w.run.Head, Ref: "x"}})
	case core.Publish:
		w.must(core.Engine(), core.PublishConcluded{Task: a.Task, OK: !w.luck("declined", 6), Lapsed: w.luck("lapsed", 2), Number: 1, Reason: "declined"})
	case core.WatchPullRequest:
		w.look()
	case core.Notify:
		w.must(core.Engine(), core.PersonNotified(a))
	case core.Sweep:
		w.must(core.Engine(), core.RunSwept{})
	case core.EvaluateCondition, core.MergeIntoBase:
		w.t.Fatalf("a project has no conditions, and nobody grants a merge here")
	}
}

func (w *world) writePlan() {
	p := w.run.Driving.PlanWrite
	next := core.Plan{Commit: w.commit(), Digest: fmt.Sprint("plan", w.commits), Steps: slices.Clone(w.run.Driving.Plan.Steps)}
	w.watch.parents[next.Commit] = []string{w.run.Head}
	switch {
	case p.Artifact != "":
		next.Steps = []core.Step{{ID: "1", Title: "one"}, {ID: "2", Title: "two"}}
	case len(p.Files) > 0:
		next.Digest, next.Steps = p.Files[0].Digest, slices.Clone(w.drafts[p.Files[0].Digest])
		if w.luck("markers", 10) {
			next.Trouble = "it has conflict markers"
		}
	}
	for i := range next.Steps {
		if slices.Contains(p.Done, next.Steps[i].ID) {
			next.Steps[i].Done = true
		}
	}
	w.plan = next
	w.must(core.Engine(), core.PlanUpdated{Old: w.run.Head, Plan: next})
}

// exit is the end of an agent, or a further deed of the manager.
func (w *world) exit(a core.WatchAttempt) {
	_, task, at := w.run.Attempt(a.Attempt)
	body := core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitFinished, Summary: "done", Usage: core.Usage{CostUSD: 0.01}}
	switch {
	case at.Status == core.AttemptStopping:
		body.Kind = core.ExitCancelled
	case w.luck("lost", 10):
		body.Kind = core.ExitLost
	case w.luck("usage limit", 12):
		reset := w.now.Add(30 * time.Minute)
		body.Kind, body.Class, body.RetryAt = core.ExitFailed, "usage_limit", &reset
	case w.luck("crash", 8):
		body.Kind = core.ExitFailed
		if task.Kind != core.KindManage && w.draw("left", 2) == 0 {
			body.Delivery = w.deliver(task, at)
		}
	case task.Kind == core.KindManage:
		if w.kind || w.draw("acts", 5) != 0 {
			w.play(w, a.Attempt)
		}
		if _, _, still := w.run.Attempt(a.Attempt); still == nil || !still.Status.Active() || !w.kind && w.draw("more", 2) == 0 {
			return
		}
	default:
		body.Delivery = w.deliver(task, at)
	}
	w.must(core.Engine(), body)
}

func (w *world) deliver(task *core.Task, at *core.Attempt) *core.Delivery {
	d := &core.Delivery{}
	if task.Writes == core.WritesCode {
		d.Commit = at.Base
		if len(task.Outputs) == 0 || task.Kind != core.KindWork {
			d.Commit = w.commit()
			w.watch.parents[d.Commit] = []string{at.Base}
			if s := w.run.Stage(task.Stage); task.Kind == core.KindResolve && s.Conflict != nil {
				w.watch.parents[d.Commit] = append(w.watch.parents[d.Commit], s.Conflict.Into)
			}
		}
	}
	for _, out := range task.Outputs {
		d.Artifacts = append(d.Artifacts, core.Artifact{Name: out, Digest: fmt.Sprint(w.head.Seq)})
	}
	return d
}

func (w *world) verify(a core.Verify) {
	task := w.run.Task(a.Task)
	body := core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Passed: !w.luck("fails", 4)}
	if w.luck("no disk", 12) {
		body.Passed, body.Error = false, "no disk"
	}
	if !body.Passed && body.Error == "" {
		body.Results = []core.CheckResult{{Check: "test"}}
	}
	if task.Kind == core.KindReview && body.Passed {
		body.Review = &core.Review{Status: core.ReviewApproved}
		if !w.kind {
			body.Review.Status = []core.ReviewStatus{core.ReviewApproved, core.ReviewChangesRequested, core.ReviewRejected}[w.draw("verdict", 3)]
		}
	}
	w.must(core.Engine(), body)
}

func (w *world) merge(a core.Merge) {
	s := w.run.Stage(a.Stage)
	body := core.MergeConcluded{Task: a.Task, Into: w.run.Head, From: s.Line}
	switch {
	case w.luck("disk", 8):
		body = core.MergeConcluded{Task: a.Task, Error: "no disk"}
	case w.luck("conflict", 3):
		body.Conflicts = []string{"a.go"}
	case w.luck("red merge", 6):
		body.Commit, body.Results = w.commit(), []core.CheckResult{{Check: "test"}}
	default:
		body.Commit, body.Passed = w.commit(), true
		w.watch.parents[body.Commit] = []string{body.Into, body.From}
	}
	w.must(core.Engine(), body)
}

func (w *world) validate(a core.Validate) {
	body := core.ValidateConcluded{Task: a.Task, Commit: w.run.Head, Passed: !w.luck("red branch", 3)}
	if w.luck("no disk", 8) {
		body = core.ValidateConcluded{Task: a.Task, Error: "no disk"}
	}
	w.must(core.Engine(), body)
}

// look is what happens to a pull request.
func (w *world) look() {
	switch {
	case w.wishes < 3 && w.luck("changes", 3):
		w.wishes++
		w.must(core.Engine(), core.ChangesRequested{ID: fmt.Sprint("pr-", w.wishes), Text: "another colour"})
	case w.luck("closed", 8):
		w.must(core.Engine(), core.PullRequestSeen{State: core.PullRequestClosed})
	case w.luck("red on the forge", 4):
		w.must(core.Engine(), core.PullRequestSeen{State: core.PullRequestOpen, Checks: core.ChecksFailed})
	case w.run.Status == core.StatusReview || w.luck("merged early", 4):
		w.must(core.Engine(), core.PullRequestSeen{State: core.PullRequestMerged})
	}
}

// account says where everything stands.
func (w *world) account() string {
	r := w.run
	text := fmt.Sprintf("%s, pause %+v, pull request %+v, head %s, verified %s, changes %v, wakes %d, questions %d, barren %d, sterile %d\neffects %v\n",
		r.Status, r.Pause, r.PullRequest, r.Head, r.Verified, r.Driving.Changes, len(r.Managing.Wakes), len(r.Questions), r.Managing.Barren, r.Sterile, core.Effects(r))
	for _, s := range r.Stages {
		text += fmt.Sprintf("%s %s round %d base %s line %q merged %q trouble %q:", s.ID, s.Status, s.Round, s.Base, s.Line, s.Merged, s.Trouble)
		for _, task := range s.Tasks {
			text += fmt.Sprintf(" %s=%s(%d/%d, lost %d)", task.ID, task.Status, task.Counted, task.Limit, task.Infra)
		}
		text += "\n"
	}
	for _, d := range r.Managing.Delegations {
		text += fmt.Sprintf("%s %s kind %q line %q after %v on %s: %s\n", d.ID, d.Status, d.Proposal.Kind, d.Proposal.Line, d.Proposal.After, d.Stage, d.Reason)
	}
	return text
}
