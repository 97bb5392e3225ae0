// Package advicetest holds what a person is advised to do to what the law accepts.
// The deciders' tests ask it at every state that their random histories come to.
// It must not be used by anything but tests.
package advicetest

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Check says which choice a person is advised at a run that comes to rest, and
// would be refused.
func Check(r *core.Run) error {
	if r == nil || r.Pause != nil && (r.Publishing() || !r.Managed() && r.Busy() != "") { // the advice says what to wait for
		return nil
	}
	for _, c := range r.Advice().Choices {
		bodies, known := meant(r, c)
		if !known {
			return fmt.Errorf("run is %s: nobody knows what `%s` would say", r.Status, wording.Command(c))
		}
		var refused error
		accepted := len(bodies) == 0
		for _, body := range bodies {
			if err := core.Law(r, core.Actor{Kind: core.ActorPerson, ID: "ada"}, body); err == nil {
				accepted = true
			} else {
				refused = err
			}
		}
		if !accepted {
			return fmt.Errorf("run is %s: `%s` is advised and refused: %w", r.Status, wording.Command(c), refused)
		}
	}
	return nil
}

// meant are the words that a choice gives the run, as internal/service makes them: none
// for one that says nothing to the run itself. Of several, such as for a rollback
// to whichever stage, one has to be accepted.
func meant(r *core.Run, c core.Choice) (bodies []core.Body, known bool) {
	switch c.Verb {
	case core.VerbStatus, core.VerbLog, core.VerbDiff, core.VerbReplay, core.VerbRuns, core.VerbInbox, core.VerbProjects, core.VerbProject,
		core.VerbQueue, core.VerbConversations, core.VerbPlaybooks, core.VerbTokens, core.VerbPrune, core.VerbVerifyHistory, core.VerbShowPlan, core.VerbCheckStore:
		return nil, true // only look
	case core.VerbSay, core.VerbStart, core.VerbStartBranch, core.VerbResumeProject, core.VerbDropEpic, core.VerbRequeueEpic,
		core.VerbWithBase, core.VerbWithBranch, core.VerbWithName, core.VerbWithPlaybook, core.VerbWithProject, core.VerbWithRepository,
		core.VerbWithLocalForge, core.VerbWithSandbox, core.VerbWithoutIsolation, core.VerbWithTrust, core.VerbWithAge, core.VerbTrust, core.VerbAddProject, core.VerbOpenConversation, core.VerbServe, core.VerbCockpit, core.VerbAddToken,
		core.VerbRestore, core.VerbRebuild, core.VerbStateFolder, core.VerbMoveStore, core.VerbGiveUpMove, core.VerbMigrateStore, core.VerbWithoutLost:
		return nil, true // are about something else
	case core.VerbTakeOver, core.VerbJoin, core.VerbHandBack, core.VerbMerge, core.VerbFastForward:
		return nil, true // depend on the session, or on the repository
	case core.VerbCancel:
		return []core.Body{core.RunCancelled{}}, true
	case core.VerbPause, core.VerbStop:
		return []core.Body{core.RunPaused{Code: core.PausePerson, Reason: "so", Stop: c.Verb == core.VerbStop}}, true
	case core.VerbResume:
		return []core.Body{core.RunResumed{}}, true
	case core.VerbRaise:
		return raised(r, c.Limit), true
	case core.VerbAnswer:
		return []core.Body{core.QuestionAnswered{ID: c.Question, Text: "yes"}}, true
	case core.VerbApprove, core.VerbApproveLeak, core.VerbFeedback, core.VerbRollback, core.VerbRetry, core.VerbSkip:
		return staged(r, c)
	}
	return nil, false
}

// raised are the words with which a limit is raised, and with it those that a
// refusal names: several can be reached at once. There are none if only the
// settings raise it.
func raised(r *core.Run, limit core.Limit) []core.Body {
	if limit.OfAttempt() {
		s := troubled(r)
		if s == nil {
			return nil
		}
		return []core.Body{core.AttemptsReset{Stage: s.ID, Limits: &core.AttemptLimits{CostUSD: 1e6, Tokens: 1e12}}}
	}
	limits := r.Limits
	for range core.KnownLimits() {
		if !lift(&limits, limit) {
			return nil
		}
		choices := core.AdviceOf(core.Law(r, core.Actor{Kind: core.ActorPerson, ID: "ada"}, core.RunResumed{Limits: &limits})).Choices
		if len(choices) == 0 || choices[0].Verb != core.VerbRaise {
			break
		}
		limit = choices[0].Limit
	}
	return []core.Body{core.RunResumed{Limits: &limits}}
}

// lift raises a limit; false if a run cannot be resumed with another.
func lift(limits *core.Limits, limit core.Limit) bool {
	switch limit {
	case core.LimitCost:
		limits.CostUSD = 1e6
	case core.LimitTokens:
		limits.Tokens = 1e12
	case core.LimitProjectCost:
		limits.Project.CostUSD = 1e6
	case core.LimitProjectTokens:
		limits.Project.Tokens = 1e12
	case core.LimitProjectTime:
		limits.Project.WallTime = 1 << 60
	case core.LimitProjectAttempts:
		limits.Project.Attempts = 1 << 30
	default:
		return false
	}
	return true
}

// troubled is the stage that a run is paused for.
func troubled(r *core.Run) *core.Stage {
	if r.Managed() && r.Pause != nil && r.Stage(r.Pause.Stage) != nil {
		return r.Stage(r.Pause.Stage)
	}
	return r.Current()
}

// staged are the words of a choice about a stage.
func staged(r *core.Run, c core.Choice) (bodies []core.Body, known bool) {
	s := r.Current()
	if c.Verb == core.VerbFeedback && r.Managed() && (s == nil || !r.ByWaves() && planned(r)) {
		return []core.Body{core.ChangesRequested{ID: fmt.Sprintf("advised-%d", r.Stream.Seq), Source: "ada", Text: "change it"}}, true
	}
	if s == nil && troubled(r) == nil {
		return nil, false
	}
	switch c.Verb { //nolint:exhaustive // the others are about no stage
	case core.VerbRetry:
		return []core.Body{core.AttemptsReset{Stage: troubled(r).ID}}, true
	case core.VerbSkip:
		return []core.Body{core.StageSkipped{Stage: troubled(r).ID, Source: core.SkipPerson}}, true
	case core.VerbApprove, core.VerbApproveLeak:
		gated := r.Gated()
		if gated == nil {
			return nil, false
		}
		return []core.Body{core.ApprovalGranted{Subject: gated.Gate.Subject, WithLeaks: c.Verb == core.VerbApproveLeak}}, true
	case core.VerbFeedback:
		return []core.Body{core.FeedbackGiven{Stage: s.ID, Text: "change it"}}, !r.ByWaves()
	case core.VerbRollback:
		return back(r, s, c.Stage), true
	}
	return nil, false
}

// planned reports that feedback is about the work as a whole.
func planned(r *core.Run) bool {
	s := r.Stage(core.PlanStage)
	return s == nil || s.Status.Closed()
}

func back(r *core.Run, s *core.Stage, target string) []core.Body {
	if target != "" {
		return []core.Body{core.RolledBack{From: s.ID, Target: target}}
	}
	var any []core.Body
	for _, stage := range r.Stages {
		any = append(any, core.RolledBack{From: s.ID, Target: stage.ID})
	}
	return any
}
