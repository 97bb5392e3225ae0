// Package advicetest holds what a person is advised to type to what the law accepts.
// The deciders' tests ask it at every state that their random histories come to.
// It must not be used by anything but tests.
package advicetest

import (
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Check says which command a person is advised at a run that comes to rest, and
// would be refused.
func Check(r *core.Run) error {
	if r == nil || r.Pause != nil && (r.Publishing() || !r.Managed() && r.Busy() != "") { // the advice says what to wait for
		return nil
	}
	for _, part := range wording.Parts(wording.Next(r)) {
		if len(part.Command) == 0 {
			continue
		}
		bodies, known := meant(r, part.Command)
		if !known {
			return fmt.Errorf("nobody knows what `%s` would say", part.Text)
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
			return fmt.Errorf("run is %s: `%s` is advised and refused: %w", r.Status, part.Text, refused)
		}
	}
	return nil
}

// looks are commands that only look, or that say nothing to the run itself.
var looks = []string{"status", "log", "diff", "show", "replay", "say", "projects", "inbox"}

// meant are the words that a command gives the run, as internal/service makes them. Of
// several, such as for --to STAGE, one has to be accepted.
func meant(r *core.Run, command []string) (bodies []core.Body, known bool) {
	s := r.Current()
	troubled := s
	if r.Managed() && r.Pause != nil && r.Stage(r.Pause.Stage) != nil {
		troubled = r.Stage(r.Pause.Stage)
	}
	switch verb := command[0]; {
	case slices.Contains(looks, verb), verb == "merge": // which depends on the repository
		return nil, true
	case verb == "cancel":
		return []core.Body{core.RunCancelled{}}, true
	case verb == "resume":
		limits := r.Limits
		limits.CostUSD, limits.Tokens, limits.Project.CostUSD, limits.Project.Tokens = 1e6, 1e12, 1e6, 1e12
		limits.Project.WallTime, limits.Project.Attempts = 1<<60, 1<<30
		if slices.Contains(command, "--headless") {
			return nil, true
		}
		return []core.Body{core.RunResumed{}, core.RunResumed{Limits: &limits}}, true
	case verb == "answer":
		return []core.Body{core.QuestionAnswered{ID: command[1], Text: "yes"}}, true
	case s == nil && r.Managed() && verb == "feedback", verb == "feedback" && r.Managed() && !r.ByWaves() && planned(r):
		return []core.Body{core.ChangesRequested{ID: fmt.Sprintf("advised-%d", r.Stream.Seq), Source: "ada", Text: "change it"}}, true
	case troubled == nil:
		return nil, false
	case verb == "retry":
		return []core.Body{core.AttemptsReset{Stage: troubled.ID}}, true
	case verb == "skip":
		return []core.Body{core.StageSkipped{Stage: troubled.ID, Source: core.SkipPerson}}, true
	case verb == "approve" && s.Gate != nil:
		return []core.Body{core.ApprovalGranted{Subject: s.Gate.Subject}}, true
	case verb == "feedback" && !r.ByWaves():
		return []core.Body{core.FeedbackGiven{Stage: s.ID, Text: "change it"}}, true
	case verb == "rollback":
		return back(r, s, command), true
	}
	return nil, false
}

// planned reports that feedback is about the work as a whole.
func planned(r *core.Run) bool {
	s := r.Stage(core.PlanStage)
	return s == nil || s.Status.Closed()
}

func back(r *core.Run, s *core.Stage, command []string) []core.Body {
	target := ""
	if at := slices.Index(command, "--to"); at >= 0 {
		target = command[at+1]
	} else if s.Gate != nil {
		target = s.Gate.Suggestion
	}
	if target != "STAGE" {
		return []core.Body{core.RolledBack{From: s.ID, Target: target}}
	}
	var any []core.Body
	for _, stage := range r.Stages {
		any = append(any, core.RolledBack{From: s.ID, Target: stage.ID})
	}
	return any
}
