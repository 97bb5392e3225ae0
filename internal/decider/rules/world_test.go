package rules_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/rules"
	"github.com/stellwerk-dev/stellwerk/internal/wording/advicetest"
)

// world plays everything around a project's run: it commits what the law allows,
// lets the decider decide, and answers effects as agents, checks, git and people
// would, truthfully or not.
type world struct {
	t       *rapid.T
	run     *core.Run
	head    core.Head
	now     time.Time
	commits int
	steps   []core.Step // what the planner hands in
	merged  []string    // stages, in the order they were merged
	wishes  int
	kind    bool // everything succeeds
}

func newWorld(t *rapid.T) *world {
	w := &world{t: t, now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), steps: drawSteps(t)}
	role := core.Role{Name: "dev"}
	p := core.Playbook{
		Name: "p", Kind: "rules", Roles: map[string]core.Role{"dev": role},
		Project: &core.Management{
			Roles: map[core.TaskKind]string{
				core.KindPlan: "dev", core.KindCode: "dev", core.KindReview: "dev", core.KindFix: "dev", core.KindResolve: "dev",
			},
			Review:   core.ReviewRule{When: rapid.SampledFrom([]core.ReviewWhen{core.ReviewAlways, core.ReviewNever, core.ReviewPaths}).Draw(t, "review")},
			PlanGate: rapid.SampledFrom([]core.GateKind{core.GateAuto, core.GateApproval}).Draw(t, "gate"),
			Push:     rapid.SampledFrom([]core.PushRule{core.PushAsk, core.PushStanding}).Draw(t, "push"),
			Attempts: rapid.IntRange(1, 3).Draw(t, "attempts"), Rounds: rapid.IntRange(1, 2).Draw(t, "rounds"), Timeout: time.Hour,
		},
	}
	w.must(core.Person("me"), core.RunStarted{
		Run: "r", Alias: "r", Project: "p", Goal: "g", Title: "t", Playbook: p, Limits: drawLimits(t),
		Base: "main", BaseCommit: "c0", Branch: "feature/x", Isolation: "sandbox",
	})
	w.settle()
	return w
}

// drawSteps is a plan without cycles: a step depends on earlier ones only.
func drawSteps(t *rapid.T) []core.Step {
	var steps []core.Step
	for i := range rapid.IntRange(1, 5).Draw(t, "steps") {
		s := core.Step{ID: fmt.Sprint(i + 1), Title: "step", Review: rapid.SampledFrom([]string{"", "", "always", "never"}).Draw(t, "step review")}
		for j := range i {
			if rapid.Bool().Draw(t, "after") {
				s.After = append(s.After, fmt.Sprint(j+1))
			}
		}
		steps = append(steps, s)
	}
	return steps
}

func (w *world) try(actor core.Actor, body core.Body) error {
	if err := core.Law(w.run, actor, body); err != nil {
		return err
	}
	e, head, err := core.Seal("run/r", w.head, w.now, actor, "", body)
	if err != nil {
		return err
	}
	before := w.run.Clone()
	if w.run, err = core.Fold(w.run, e); err != nil {
		return err
	}
	w.head = head
	checkStep(w, before, body)
	if before != nil {
		checkStart(w.t, before, body)
	}
	checkState(w.t, w.run)
	return nil
}

func (w *world) must(actor core.Actor, body core.Body) {
	if err := w.try(actor, body); err != nil {
		w.t.Fatalf("%s refused: %v", core.TypeOf(body), err)
	}
}

// settle lets the decider decide until it has nothing more to say.
func (w *world) settle() {
	d := rules.Decider{}
	for i := 0; ; i++ {
		if i > 50 {
			w.t.Fatalf("the decider does not come to rest: %s", w.run.Status)
		}
		bodies := core.Decide(w.run, d)
		if w.head.Seq%16 == 0 { // now and then: it takes longer than all else
			if diff := cmp.Diff(bodies, core.Decide(decoded(w.t, w.run), d)); diff != "" {
				w.t.Fatalf("the same state decided differently:\n%s", diff)
			}
		}
		if len(bodies) == 0 {
			if err := advicetest.Check(w.run); err != nil {
				w.t.Fatalf("%v", err)
			}
			w.rests()
			checkAllowance(w.t, w.run)
			return
		}
		for _, b := range bodies {
			if err := w.try(core.ActorFor(w.run, d, b), b); err != nil {
				w.t.Fatalf("decision %s is unlawful: %v", core.TypeOf(b), err)
			}
		}
	}
}

// rests: a run that is neither over nor waiting for a person has something
// under way, or a time to wait for.
func (w *world) rests() {
	if w.run.Status == core.StatusAwaiting && (w.run.Gated() == nil || w.run.Gated().Gate.Approved) {
		w.t.Fatalf("the run waits for an approval that nobody is asked for")
	}
	if w.run.Status != core.StatusActive {
		return
	}
	if len(core.Effects(w.run)) == 0 && len(core.Timers(w.run)) == 0 {
		w.t.Fatalf("the run waits for nothing")
	}
}

func decoded(t *rapid.T, r *core.Run) *core.Run {
	raw, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var c core.Run
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return &c
}

func (w *world) commit() string {
	w.commits++
	return fmt.Sprintf("c%d", w.commits)
}

func (w *world) luck(what string, oneIn int) bool {
	return !w.kind && rapid.IntRange(1, oneIn).Draw(w.t, what) == 1
}

// answer does what an effect asks for, as the world may.
func (w *world) answer(a core.Action) {
	switch a := a.(type) {
	case core.ReadPlan:
		w.must(core.Engine(), core.PlanRead{Plan: core.Plan{Commit: a.Commit}})
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
		w.t.Fatal("the rules validate nothing by itself")
	case core.MoveBranch:
		w.must(core.Engine(), core.BranchMoved(a))
	case core.HoldRef:
		w.must(core.Engine(), core.RefKept(a))
	case core.PreparePublish:
		s := w.run.Stage(a.Stage)
		w.must(core.Engine(), core.PublishPrepared{Task: a.Task, Passed: !w.luck("red", 8), Subject: core.Subject{Stage: s.ID, Round: s.Round, Commit: w.run.Head, Ref: "x"}})
	case core.Publish:
		w.must(core.Engine(), core.PublishConcluded{Task: a.Task, OK: !w.luck("declined", 6), Number: 1, Reason: "declined"})
	case core.WatchPullRequest:
		w.look()
	case core.Notify:
		w.must(core.Engine(), core.PersonNotified(a))
	case core.Sweep:
		w.must(core.Engine(), core.RunSwept{})
	case core.EvaluateCondition, core.MergeIntoBase:
		w.t.Fatalf("a project has no conditions, and nobody grants a merge here")
	}
	w.settle()
}

func (w *world) writePlan() {
	next := core.Plan{Commit: w.commit(), Digest: fmt.Sprint(w.commits), Steps: slices.Clone(w.run.Driving.Plan.Steps)}
	if w.run.Driving.PlanWrite.Artifact != "" {
		next.Steps = slices.Clone(w.steps)
	}
	for i := range next.Steps {
		if slices.Contains(w.run.Driving.PlanWrite.Done, next.Steps[i].ID) {
			next.Steps[i].Done = true
		}
	}
	w.must(core.Engine(), core.PlanUpdated{Old: w.run.Head, Plan: next})
}

func (w *world) exit(a core.WatchAttempt) {
	_, task, at := w.run.Attempt(a.Attempt)
	if at.Status == core.AttemptStopping {
		w.must(core.Engine(), core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitCancelled})
		return
	}
	if w.luck("lost", 10) {
		w.must(core.Engine(), core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitLost})
		return
	}
	d := &core.Delivery{}
	if task.Writes == core.WritesCode {
		d.Commit = w.commit()
	}
	for _, out := range task.Outputs {
		d.Artifacts = append(d.Artifacts, core.Artifact{Name: out, Digest: fmt.Sprint(w.head.Seq)})
	}
	w.must(core.Engine(), core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitFinished, Delivery: d})
}

func (w *world) verify(a core.Verify) {
	body := core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Passed: !w.luck("fails", 4)}
	if !body.Passed {
		body.Results = []core.CheckResult{{Check: rapid.SampledFrom([]string{"build", "test"}).Draw(w.t, "check")}}
	}
	if w.run.Task(a.Task).Kind == core.KindReview && body.Passed {
		body.Review = &core.Review{Status: core.ReviewApproved}
		if !w.kind {
			body.Review.Status = rapid.SampledFrom([]core.ReviewStatus{core.ReviewApproved, core.ReviewChangesRequested, core.ReviewRejected}).Draw(w.t, "verdict")
		}
	}
	body.Touches = w.luck("touches", 2)
	w.must(core.Engine(), body)
}

func (w *world) merge(a core.Merge) {
	s := w.run.Stage(a.Stage)
	body := core.MergeConcluded{Task: a.Task, Into: w.run.Head, From: s.Line}
	switch {
	case w.luck("disk", 8):
		body = core.MergeConcluded{Task: a.Task, Error: "no disk"}
	case w.luck("conflict", 4):
		body.Conflicts = []string{"a.go"}
	case w.luck("red merge", 6):
		body.Commit, body.Results = w.commit(), []core.CheckResult{{Check: "test"}}
	default:
		body.Commit, body.Passed = w.commit(), true
	}
	w.must(core.Engine(), body)
}

// look is what happens to a pull request.
func (w *world) look() {
	switch {
	case w.run.Status != core.StatusReview:
	case w.wishes < 2 && w.luck("changes", 3):
		w.wishes++
		w.must(core.Engine(), core.ChangesRequested{ID: fmt.Sprint("pr-", w.wishes), Text: "another colour"})
	case w.luck("closed", 8):
		w.must(core.Engine(), core.PullRequestSeen{State: core.PullRequestClosed})
	default:
		w.must(core.Engine(), core.PullRequestSeen{State: core.PullRequestMerged})
	}
}

func TestProjectsComeToAnEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(t)
		for i := 0; !w.run.Status.Terminal(); i++ {
			if i > 200 {
				w.kind = true // from here on nothing goes wrong
			}
			if i > 1500 {
				t.Fatalf("the run does not end: %s, %+v\n%s", w.run.Status, w.run.Pause, w.account())
			}
			w.once()
		}
		if w.run.Status == core.StatusCompleted {
			w.complete()
		}
	})
}

// account says where the stages stand.
func (w *world) account() string {
	text := fmt.Sprintf("pull request %+v, head %s, changes %v, effects %v\n", w.run.PullRequest, w.run.Head, w.run.Driving.Changes, core.Effects(w.run))
	for _, s := range w.run.Stages {
		text += fmt.Sprintf("%s %s round %d line %q merged %q trouble %q:", s.ID, s.Status, s.Round, s.Line, s.Merged, s.Trouble)
		for _, task := range s.Tasks {
			text += fmt.Sprintf(" %s=%s(%d/%d, lost %d)", task.Name, task.Status, task.Counted, task.Limit, task.Infra)
		}
		text += "\n"
	}
	return text
}

// once lets the world do one thing: an effect, a person's word, or time.
func (w *world) once() {
	w.now = w.now.Add(time.Minute)
	effects := core.Effects(w.run)
	if w.run.Status != core.StatusReview { // the pull request is looked at where nothing else happens
		effects = slices.DeleteFunc(effects, func(a core.Action) bool {
			_, watch := a.(core.WatchPullRequest)
			return watch
		})
	}
	switch {
	case w.meddle():
	case w.run.Pause != nil:
		w.resume()
	case w.run.Status == core.StatusAwaiting && (len(effects) == 0 || w.kind):
		w.decide()
	case len(effects) > 0:
		w.answer(effects[rapid.IntRange(0, len(effects)-1).Draw(w.t, "effect")])
	default:
		w.now = w.now.Add(10 * time.Minute)
		w.must(core.Engine(), core.TimerFired{Timer: "due"})
		w.settle()
	}
}

// meddle is what may happen at any moment: somebody wants something changed, a
// person pauses the run, the pull request is merged.
func (w *world) meddle() bool {
	switch {
	case w.wishes < 4 && w.luck("a wish", 20):
		w.wishes++
		if w.try(core.Person("me"), core.ChangesRequested{ID: fmt.Sprint("here-", w.wishes), Text: "another colour"}) != nil {
			return false
		}
	case w.luck("others spend", 20):
		w.must(core.Engine(), w.othersSpend())
	case w.luck("a pause", 30):
		if w.try(core.Person("me"), core.RunPaused{Code: core.PausePerson, Reason: "a person asked for it", Advice: core.Advice{Hint: "resume"}, Stop: w.luck("stop", 2)}) != nil {
			return false
		}
	case w.run.PullRequest != nil && w.run.PullRequest.State == core.PullRequestOpen && w.luck("merged", 15):
		w.must(core.Engine(), core.PullRequestSeen{State: core.PullRequestMerged})
	default:
		return false
	}
	w.settle()
	return true
}

// resume is a person who deals with a pause.
func (w *world) resume() {
	me := core.Person("me")
	p := w.run.Pause
	if p.Code == core.PauseAttempts || p.Code == core.PauseInfra {
		if w.luck("skip", 3) && w.try(me, core.StageSkipped{Stage: p.Stage, Source: core.SkipPerson}) == nil {
			w.settle()
			return
		}
		if err := w.try(me, core.AttemptsReset{Stage: p.Stage}); err != nil {
			w.answerOne() // something is under way
			return
		}
	} else {
		w.must(me, core.RunResumed{Limits: w.raised(p.Code)})
	}
	w.settle()
}

// answerOne lets what is under way come to an end.
func (w *world) answerOne() {
	if effects := core.Effects(w.run); len(effects) > 0 {
		w.answer(effects[0])
	}
}

// decide is a person at a gate.
func (w *world) decide() {
	s := w.run.Gated()
	if s.ID == core.PlanStage && w.luck("feedback", 4) {
		w.must(core.Person("me"), core.FeedbackGiven{Stage: s.ID, Text: "other steps"})
	} else {
		w.must(core.Person("me"), core.ApprovalGranted{Subject: s.Gate.Subject})
	}
	w.settle()
}
