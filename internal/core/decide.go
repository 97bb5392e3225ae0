package core

import (
	"cmp"
	"fmt"
	"time"
)

// Decider is the pure code behind a playbook kind: given the state, what next.
// It keeps no state of its own and returns nothing if there is nothing to
// decide.
type Decider interface {
	Kind() string
	Version() int
	Decide(r *Run) []Body
}

// Decide says what follows from the state: first what holds for every kind of
// playbook (limits, standing instructions), then what the kind's decider says.
func Decide(r *Run, d Decider) []Body {
	if bodies := overrun(r); len(bodies) > 0 {
		return bodies
	}
	if bodies := overdue(r); len(bodies) > 0 {
		return bodies
	}
	if bodies := reserve(r); len(bodies) > 0 { // whatever the run waits for: what is under way goes on
		return bodies
	}
	if r.Status == StatusAwaiting {
		return standing(r)
	}
	if r.Status != StatusActive && r.Status != StatusReview {
		return nil
	}
	if pause := guard(r); pause != nil && r.Status == StatusActive {
		return []Body{*pause}
	}
	return affordable(r, d.Decide(r))
}

// DecisionActor is the actor of what d decides.
func DecisionActor(d Decider) Actor {
	return Actor{Kind: ActorDecider, ID: d.Kind(), Version: fmt.Sprintf("%d.%d", LawVersion, d.Version())}
}

// ActorFor is who utters a decision: the decider, or the policy for an
// approval that a standing instruction gives.
func ActorFor(r *Run, d Decider, body Body) Actor {
	if _, ok := body.(ApprovalGranted); ok {
		if r.Policy != nil && r.Policy.Approve {
			return Policy("--yes by " + r.Policy.By)
		}
		return Policy(r.policy())
	}
	return DecisionActor(d)
}

// stopGrace is how long after its own time limit an attempt's supervisor may
// take before the engine asks for the stop itself.
const stopGrace = 2 * time.Minute

// overrun ends attempts that must not go on: past their time, of a run that
// was stopped, or over a limit.
func overrun(r *Run) []Body {
	var bodies []Body
	for _, t := range r.tasks() {
		a := t.Last()
		if a == nil || (a.Status != AttemptRunning && a.Status != AttemptPending) {
			continue
		}
		if reason := stopReason(r, t, a); reason != "" {
			bodies = append(bodies, AttemptStopRequested{Attempt: a.ID, Reason: reason})
		}
	}
	return bodies
}

func stopReason(r *Run, t *Task, a *Attempt) string {
	switch {
	case r.Status.Terminal():
		return "the run is " + string(r.Status)
	case r.Pause != nil && (r.Pause.Stop || r.Pause.Code == PauseBudget && !a.Brokered): // nothing else keeps such a one from spending
		return r.Pause.Reason
	case r.Unfunded == a.ID && !a.Brokered && r.Status != StatusActive: // one that is active pauses
		return a.Short.Reason
	case a.Short != nil && a.Short.Own && !a.Brokered:
		return a.Short.Reason
	case a.Status == AttemptRunning && a.Session != r.Session:
		return "the run has moved to " + place(r.Session)
	case a.Status == AttemptRunning && t.Timeout > 0 && r.Now().After(a.StartedAt.Add(t.Timeout+stopGrace)):
		return fmt.Sprintf("past its time limit of %s", t.Timeout)
	}
	return ""
}

// overdue answers questions that nobody answered in time with their defaults.
func overdue(r *Run) []Body {
	if r.Status.Terminal() {
		return nil
	}
	var bodies []Body
	for _, q := range r.Questions {
		if q.Default != "" && !r.Now().Before(q.Due) {
			bodies = append(bodies, QuestionAnswered{ID: q.ID, Text: q.Default, Default: true})
		}
	}
	return bodies
}

// standing applies a policy given at the start. It is recorded as a policy,
// never as a person.
func standing(r *Run) []Body {
	s := r.Gated()
	if s == nil || s.Gate.Approved || requestsChanges(s) || !r.standing(s) {
		return nil
	}
	return []Body{ApprovalGranted{Subject: s.Gate.Subject, Comment: "approved by policy (" + r.policy() + ")"}}
}

// standing reports a gate that a standing instruction lets through: that of
// who started the run, or of the playbook for the run's own branch. What looks
// like a secret is published on a person's word only.
func (r *Run) standing(s *Stage) bool {
	if len(Leaks(s)) > 0 {
		return false
	}
	if r.Policy != nil && r.Policy.Approve {
		return true
	}
	return r.Managed() && s.ID == PublishStage && r.Playbook.Project.Push == PushStanding
}

func (r *Run) policy() string {
	if r.Policy != nil && r.Policy.Approve {
		return "--yes"
	}
	return "the playbook " + r.Playbook.Name
}

// guard pauses a run that is over a limit or going in circles.
func guard(r *Run) *RunPaused {
	if r.Sterile-r.pending() >= r.Limits.Sterile {
		return &RunPaused{
			Code: PauseSterile, Stage: currentID(r),
			Reason: fmt.Sprintf("%d decisions without progress", r.Sterile),
			Advice: Advice{Hint: "look at what keeps failing, then go on", Choices: r.Choices(VerbResume)},
		}
	}
	if over := cmp.Or(overBudget(r, r.Limits), r.Limits.Project.reached(r.together())); over != nil {
		return &RunPaused{Code: PauseBudget, Stage: currentID(r), Reason: over.reason, Stop: true, Advice: r.raise(over.limit)}
	}
	if pause := unfunded(r); pause != nil {
		return pause
	}
	if r.Limits.WallTime > 0 && !r.Now().Before(r.ClockFrom.Add(r.Limits.WallTime)) {
		return &RunPaused{
			Code: PauseWall, Stage: currentID(r), Stop: true,
			Reason: fmt.Sprintf("the run has used its wall time of %s", r.Limits.WallTime),
			Advice: Advice{Choices: r.Choices(VerbResume)},
		}
	}
	return nil
}

// pending counts the decisions of a managed run of which it is too early to say
// that they came to nothing: its agents are at work.
func (r *Run) pending() int {
	if !r.Managed() {
		return 0
	}
	return max(len(r.Active())-1, 0)
}

func overBudget(r *Run, l Limits) *overLimit {
	switch {
	case l.CostUSD > 0 && Nanos(r.Usage.CostUSD) >= Nanos(l.CostUSD):
		return &overLimit{LimitCost, fmt.Sprintf("the run has cost %s of its %s", Money(r.Usage.CostUSD), Money(l.CostUSD))}
	case l.Tokens > 0 && r.Usage.Tokens() >= l.Tokens:
		return &overLimit{LimitTokens, fmt.Sprintf("the run has used %d of its %d tokens", r.Usage.Tokens(), l.Tokens)}
	}
	return nil
}
