package phases_test

import (
	"fmt"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// drawInput draws something that could arrive: an answer to an effect, true or
// false, or a person's word, sensible or not.
func (w *world) drawInput() (core.Actor, core.Body) {
	r := w.run
	effects := core.Effects(r)
	kinds := []string{"effect", "effect", "effect", "effect", "person", "session", "timer", "project", "forged"}
	switch rapid.SampledFrom(kinds).Draw(w.t, "kind") {
	case "effect":
		if len(effects) == 0 {
			return core.Actor{}, nil
		}
		return core.Engine(), w.answer(rapid.SampledFrom(effects).Draw(w.t, "effect"), false)
	case "person":
		return core.Person("me"), w.personSays()
	case "session":
		return w.sessionSays()
	case "timer":
		if active := r.Active(); len(active) > 0 && rapid.Bool().Draw(w.t, "metered") {
			return core.Engine(), w.observed(active[0])
		}
		return core.Engine(), core.TimerFired{Timer: "t"}
	case "project":
		return core.Engine(), w.othersSpend()
	case "forged":
		return w.forged()
	}
	return core.Actor{}, nil
}

// answer concludes an action. An honest answer is a success.
func (w *world) answer(a core.Action, honest bool) core.Body {
	switch a := a.(type) {
	case core.StartAttempt:
		if !honest && rapid.IntRange(0, 4).Draw(w.t, "nostart") == 0 {
			return core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitNoStart, Hopeless: rapid.Bool().Draw(w.t, "hopeless")}
		}
		return core.AttemptStarted{Attempt: a.Attempt, Agent: "scripted", Session: a.Session, Brokered: !honest && rapid.Bool().Draw(w.t, "brokered")}
	case core.WatchAttempt:
		return w.exit(a.Attempt, honest)
	case core.StopAttempt:
		return core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitCancelled}
	case core.Verify:
		_, _, attempt := w.run.Attempt(a.Attempt)
		sound := attempt.Delivery.Sound(w.run.Task(a.Task).Writes)
		v := core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Passed: honest && sound || !honest && rapid.Bool().Draw(w.t, "passed")}
		if !honest && rapid.IntRange(0, 5).Draw(w.t, "review") == 0 {
			v.Review = &core.Review{Status: core.ReviewChangesRequested, Findings: []core.Finding{{Issue: "x", Target: "s0"}}}
		}
		if rapid.Bool().Draw(w.t, "proposes") {
			v.Skips = w.drawSkips()
		}
		if !honest && rapid.IntRange(0, 9).Draw(w.t, "verify-error") == 0 {
			v.Passed, v.Error = false, "no space left on device"
		}
		return v
	case core.EvaluateCondition:
		return core.ConditionEvaluated{Stage: a.Stage, Holds: honest || rapid.Bool().Draw(w.t, "holds")}
	case core.MoveBranch:
		return core.BranchMoved(a)
	case core.HoldRef:
		return core.RefKept(a)
	case core.Validate:
		v := core.ValidateConcluded{Task: a.Task, Commit: w.run.Head, First: true, Passed: rapid.Bool().Draw(w.t, "found")}
		if !honest && rapid.IntRange(0, 5).Draw(w.t, "elsewhere") == 0 {
			v.Commit = "other"
		}
		if !honest && rapid.IntRange(0, 5).Draw(w.t, "look-error") == 0 {
			v.Passed, v.Error = false, "no space left on device"
		}
		return v
	case core.ReadPlan, core.WritePlan, core.Merge, core.WatchPullRequest, core.MergeIntoBase:
		w.t.Fatalf("%T is not for a run of phases", a)
	case core.PreparePublish:
		s := w.run.Stage(a.Stage)
		return core.PublishPrepared{Task: a.Task, Passed: honest || rapid.Bool().Draw(w.t, "prepared"), Subject: core.Subject{
			Stage: s.ID, Round: s.Round, Delivery: w.run.Head, Commit: w.run.Head, Remote: "o", Ref: "refs/heads/x", Base: "main",
		}}
	case core.Publish:
		return core.PublishConcluded{Task: a.Task, OK: honest || rapid.Bool().Draw(w.t, "ok"), Lapsed: !honest && rapid.Bool().Draw(w.t, "lapsed"), URL: "u", Reason: "refused"}
	case core.Sweep:
		return core.RunSwept{}
	case core.Notify:
		return core.PersonNotified(a)
	}
	return nil
}

// drawSkips draws what a plan proposes to leave out: sensible or not.
func (w *world) drawSkips() []core.SkipProposal {
	stages := rapid.SliceOfN(rapid.SampledFrom([]string{"s0", "s1", "s2", "s3", "publish", "nowhere"}), 0, 3).Draw(w.t, "skips")
	var skips []core.SkipProposal
	for _, s := range stages {
		skips = append(skips, core.SkipProposal{Stage: s, Reason: "not needed"})
	}
	return skips
}

func (w *world) exit(attempt string, honest bool) core.Body {
	_, t, _ := w.run.Attempt(attempt)
	d := &core.Delivery{}
	for _, out := range t.Outputs {
		d.Artifacts = append(d.Artifacts, core.Artifact{Name: out, Digest: fmt.Sprintf("d%d", len(w.events)), Size: 1})
	}
	if t.Writes == core.WritesCode {
		d.Commit, d.Tree = fmt.Sprintf("c%d", len(w.events)), "t"
	}
	e := core.AttemptExited{Attempt: attempt, Kind: core.ExitFinished, Delivery: d, Usage: core.Usage{CostUSD: 0.01, InputTokens: 10}}
	if honest {
		return e
	}
	e.Kind = rapid.SampledFrom([]core.ExitKind{core.ExitFinished, core.ExitFailed, core.ExitTimeout, core.ExitLost, core.ExitCancelled}).Draw(w.t, "exit")
	e.Usage.CostUSD = rapid.SampledFrom([]float64{0, 0.5, 2}).Draw(w.t, "cost")
	e.Class = rapid.SampledFrom([]string{"", "usage_limit", "api_error", "crashed"}).Draw(w.t, "class")
	if rapid.IntRange(0, 3).Draw(w.t, "nothing") == 0 {
		e.Delivery = nil
	}
	if e.Delivery != nil && rapid.IntRange(0, 5).Draw(w.t, "rewritten") == 0 {
		e.Delivery.Rewritten = true
	}
	if e.Delivery != nil && rapid.IntRange(0, 5).Draw(w.t, "refused") == 0 {
		e.Delivery.Commit, e.Delivery.Tree, e.Delivery.Empty = "", "", true
	}
	return e
}

func (w *world) personSays() core.Body {
	r := w.run
	stage := r.Stages[rapid.IntRange(0, len(r.Stages)-1).Draw(w.t, "stage")]
	if rapid.Bool().Draw(w.t, "current") && r.Current() != nil {
		stage = r.Current()
	}
	subject := core.Subject{Stage: stage.ID}
	if stage.Gate != nil {
		subject = stage.Gate.Subject
	}
	if rapid.IntRange(0, 4).Draw(w.t, "outdated") == 0 {
		subject.Delivery += "x"
	}
	return rapid.SampledFrom([]core.Body{
		core.ApprovalGranted{Subject: subject}, core.ApprovalGranted{Subject: subject}, core.ApprovalGranted{Subject: subject},
		core.FeedbackGiven{Stage: stage.ID, Text: "more", Reset: rapid.Bool().Draw(w.t, "reset")},
		core.RolledBack{From: "x", Target: stage.ID, Reset: rapid.Bool().Draw(w.t, "reset")},
		core.StageSkipped{Stage: stage.ID, Source: core.SkipPerson},
		core.AttemptsReset{Stage: stage.ID},
		core.RunPaused{Code: core.PausePerson, Reason: "wait", Stop: rapid.Bool().Draw(w.t, "stop")},
		core.RunResumed{}, core.RunResumed{}, core.TargetChosen{Base: "develop"},
		core.RunCancelled{},
	}).Draw(w.t, "word")
}

// sessionSays draws what happens in an interactive session: the person in it
// types something, the run comes or goes, or the session speaks for the person,
// entitled to or not.
func (w *world) sessionSays() (core.Actor, core.Body) {
	session := rapid.SampledFrom([]string{"one", "two"}).Draw(w.t, "session")
	if w.run.Session != "" && rapid.IntRange(0, 4).Draw(w.t, "other") > 0 {
		session = w.run.Session
	}
	switch rapid.SampledFrom([]string{"took", "took", "left", "typed", "typed", "typed", "speaks", "speaks", "speaks"}).Draw(w.t, "act") {
	case "took":
		return core.Person("me"), core.SessionTook{Session: session}
	case "left": // rarely, or nothing would happen in one
		return core.Person("me"), core.SessionTook{}
	case "typed":
		text := rapid.SampledFrom([]string{"approve", "approve", "skip", "cancel the run", "do not approve", "hm"}).Draw(w.t, "text")
		word := core.WordGiven{Session: session, Means: core.MeaningOf(text), Text: text}
		if s := w.run.Current(); s != nil && s.Gate != nil {
			subject := s.Gate.Subject
			word.Subject = &subject
		}
		return core.Person("me"), word
	default:
		actor := core.Actor{Kind: core.ActorSession, ID: session}
		if s := w.run.Current(); s != nil && s.Gate != nil && rapid.Bool().Draw(w.t, "approves") {
			return actor, core.ApprovalGranted{Subject: s.Gate.Subject}
		}
		return actor, w.personSays()
	}
}

// forged draws what nobody is entitled to say.
func (w *world) forged() (core.Actor, core.Body) {
	actor := rapid.SampledFrom([]core.Actor{{Kind: core.ActorAgent, ID: "a"}, core.Engine(), {Kind: core.ActorDecider}, core.Policy("x")}).Draw(w.t, "actor")
	stage := w.run.Stages[0]
	subject := core.Subject{Stage: stage.ID}
	if stage.Gate != nil {
		subject = stage.Gate.Subject
	}
	return actor, rapid.SampledFrom([]core.Body{
		core.ApprovalGranted{Subject: subject}, core.StagePassed{Stage: stage.ID, Round: stage.Round},
		core.StageSkipped{Stage: stage.ID, Source: core.SkipPerson}, core.StageSkipped{Stage: stage.ID, Source: core.SkipPlaybook},
		core.StageSkipped{Stage: w.run.Stages[len(w.run.Stages)-1].ID, Source: core.SkipPlan, Plan: stage.Event},
		core.TeamReduced{Stage: stage.ID, Round: stage.Round, Role: "dev", Dropped: []string{core.TaskID(stage.ID, stage.Round, "a")}, Reason: "x"},
		core.RunCompleted{}, core.AttemptRequested{Task: core.TaskID(stage.ID, stage.Round, ""), Attempt: "x", N: 1},
		core.PublishRequested{Task: core.TaskID("publish", 1, ""), Subject: subject},
		core.ValidateConcluded{Task: core.TaskID(stage.ID, stage.Round, ""), Commit: w.run.Head, First: true, Passed: true},
		core.TaskAdmitted{Task: "x", Stage: stage.ID, Round: stage.Round, Attempts: 1, VerifyFirst: true},
		core.VerifyConcluded{Task: core.TaskID(stage.ID, stage.Round, ""), Attempt: core.AttemptID(core.TaskID(stage.ID, stage.Round, ""), 1), Passed: true},
	}).Draw(w.t, "forgery")
}

// wayOut is what a sensible person does about a pause.
func (w *world) wayOut() core.Body {
	s := w.run.Current()
	switch w.run.Pause.Code {
	case core.PauseInput: // a stage that was skipped was needed after all
		return core.StageSkipped{Stage: s.ID, Source: core.SkipPerson}
	case core.PauseAttempts, core.PauseInfra:
		return core.AttemptsReset{Stage: s.ID}
	case core.PauseBudget, core.PauseProjectLimit:
		limits := w.run.Limits
		limits.CostUSD = 2*w.run.Usage.CostUSD + 100
		limits.Project = core.ProjectLimits{}
		return core.RunResumed{Limits: &limits}
	case core.PausePublish: // nothing was made that could be published
		return core.StageSkipped{Stage: s.ID, Source: core.SkipPerson}
	default:
		return core.RunResumed{}
	}
}

// honest is the next thing that happens in a world where all goes well.
func (w *world) honest() (core.Actor, core.Body) {
	if w.run.Status == core.StatusAwaiting {
		return core.Person("me"), core.ApprovalGranted{Subject: w.run.Current().Gate.Subject}
	}
	effects := core.Effects(w.run)
	if w.run.Pause != nil && (w.run.Busy() == "" || len(effects) == 0) {
		return core.Person("me"), w.wayOut()
	}
	if len(effects) > 0 {
		return core.Engine(), w.answer(effects[len(effects)-1], true)
	}
	if len(core.Timers(w.run)) > 0 {
		return core.Engine(), core.TimerFired{Timer: "due"}
	}
	return core.Actor{}, nil
}
