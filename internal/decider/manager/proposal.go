package manager

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/admission"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// proposals admits or refuses proposals, or lets them wait for their dependencies. It decides several at once, each as if
// those before it were decided already.
func proposals(r *core.Run) []core.Body {
	if !slices.ContainsFunc(r.Managing.Delegations, func(d *core.Delegation) bool { return d.Status == core.DelegationWaiting }) {
		return nil
	}
	r = r.Clone()
	var bodies []core.Body
	for _, d := range r.Managing.Delegations {
		if d.Status != core.DelegationWaiting {
			continue
		}
		if code, reason := objection(r, d); code != "" {
			bodies = append(bodies, core.TaskRefused{Delegation: d.ID, Code: code, Reason: reason})
			d.Status, d.Reason = core.DelegationRefused, reason
			continue
		}
		if !ready(r, d) {
			continue
		}
		bodies = append(bodies, admit(r, d)...)
		if d.Proposal.Kind.EngineAct() {
			break // the rest depends on the state after it
		}
		d.Status, d.Stage = core.DelegationOpen, lineOf(r, d)
	}
	return bodies
}

// objection says why a proposal is refused; code is "" if it is not.
func objection(r *core.Run, d *core.Delegation) (code, reason string) {
	for _, judge := range []func(*core.Run, *core.Delegation) (string, string){again, kind, planned, admissible, dependencies, line, finished} {
		if code, reason := judge(r, d); code != "" {
			return code, reason
		}
	}
	return "", ""
}

// again refuses work that is under way already, and what a second attempt at a turn proposes again.
func again(r *core.Run, d *core.Delegation) (string, string) {
	for _, other := range r.Managing.Delegations {
		if other.ID == d.ID {
			break // the later one is the duplicate
		}
		if other.Key == d.Key && !other.Status.Over() {
			return core.RefusedDuplicate, fmt.Sprintf("the same work is under way as %s: nothing was begun", other.ID)
		}
	}
	if other := r.InThisTurn(d); other != "" && !d.Proposal.Kind.EngineAct() {
		return core.RefusedDuplicate, fmt.Sprintf("this turn has delegated the same work before as %s, which has ended: nothing was begun", other)
	}
	return "", ""
}

func kind(_ *core.Run, d *core.Delegation) (string, string) {
	switch d.Proposal.Kind {
	case core.KindWork, core.KindCode, core.KindReview, core.KindFix, core.KindMerge, core.KindValidate, core.KindPR, core.KindDiscard:
		return "", ""
	case core.KindPlan, core.KindResolve, core.KindManage, core.KindWave:
	}
	return core.RefusedKind, fmt.Sprintf("work of kind %q cannot be delegated; there are code, review, fix, merge, validate, pr, discard, and none at all", d.Proposal.Kind)
}

// planned is law 6: no worker before there is a plan.
func planned(r *core.Run, d *core.Delegation) (string, string) {
	switch {
	case d.Proposal.Kind.EngineAct():
	case r.Driving.Plan.Digest == "":
		return core.RefusedNoPlan, "there is no plan yet: write .ai/plan.md and commit it with update-plan, then delegate"
	case r.Driving.Plan.Trouble != "":
		return core.RefusedNoPlan, "the plan cannot be read: " + r.Driving.Plan.Trouble + "; correct .ai/plan.md and commit it with update-plan, then delegate"
	}
	return "", ""
}

// dependencies refuses work that depends on a discarded line or on its own.
func dependencies(r *core.Run, d *core.Delegation) (string, string) {
	for _, name := range d.Proposal.After {
		s := r.LineOf(name)
		if s == nil || r.Was(name) {
			continue
		}
		switch own, _ := r.LineName(d.Proposal.Line); {
		case s.ID == own && d.Proposal.Kind != core.KindPR && d.Proposal.Kind != core.KindValidate:
			return core.RefusedDependency, fmt.Sprintf("it cannot depend on %s and belong to it: make it depend on a delegation on that line", name)
		case s.Status == core.StageOmitted:
			return core.RefusedDependency, fmt.Sprintf("it depends on %s, which was given up", name)
		}
	}
	return "", ""
}

// line refuses work whose branch does not exist or is in use.
func line(r *core.Run, d *core.Delegation) (string, string) {
	p := d.Proposal
	name, ok := r.LineName(p.Line)
	if !ok {
		return core.RefusedLine, fmt.Sprintf("%q cannot be the name of a line of work: use a short word of small letters, digits and dashes", p.Line)
	}
	if p.Kind == core.KindPR || p.Kind == core.KindValidate {
		return "", ""
	}
	if at := r.OpenOn(name); at != nil && name != "" && !slices.Contains(p.After, at.ID) {
		return core.RefusedLine, fmt.Sprintf("%s is working on %s, and only one can write a branch at a time: wait for it, or make yours depend on %s", at.ID, name, at.ID)
	}
	if p.Kind == core.KindWork || p.Kind == core.KindCode || len(p.After) > 0 && !ready(r, d) {
		return "", ""
	}
	return onLine(r, p.Kind, name)
}

// onLine judges work that continues a branch.
func onLine(r *core.Run, kind core.TaskKind, name string) (string, string) {
	s := r.LineOf(name)
	switch {
	case name == "":
		return core.RefusedLine, fmt.Sprintf("work of kind %s is about a branch: name the branch; open are %s", kind, admission.Listed(openLines(r)))
	case s == nil || s.Status.Closed():
		return core.RefusedLine, fmt.Sprintf("there is no open line %q; open are %s", name, admission.Listed(openLines(r)))
	case kind != core.KindDiscard && s.Line == "":
		return core.RefusedLine, fmt.Sprintf("nothing on %s is verified yet: delegate work on it first", name)
	case kind == core.KindMerge && objected(s):
		return core.RefusedLine, fmt.Sprintf("the newest review of %s requests changes: have a fix made and reviewed, or discard the branch", name)
	}
	return "", ""
}

func objected(s *core.Stage) bool {
	wants := false
	for _, t := range s.Live() {
		if a := t.Last(); t.Act == "" && a != nil {
			wants = t.Kind == core.KindReview && a.Review != nil && a.Review.Status != core.ReviewApproved
		}
	}
	return wants
}

func openLines(r *core.Run) []string {
	var names []string
	for _, s := range r.OpenLines() {
		names = append(names, s.ID)
	}
	return names
}

// finished refuses to publish unfinished work.
func finished(r *core.Run, d *core.Delegation) (string, string) {
	if d.Proposal.Kind != core.KindPR || !ready(r, d) {
		return "", ""
	}
	var open []string
	for _, other := range r.Managing.Delegations {
		if other.ID != d.ID && !other.Status.Over() {
			open = append(open, other.ID)
		}
	}
	var steps []string
	for _, step := range r.Driving.Plan.Steps {
		if !step.Done {
			steps = append(steps, step.ID)
		}
	}
	switch {
	case len(open) > 0:
		return core.RefusedUnfinished, "there is work under way: " + strings.Join(open, ", ") + ". Ask for the pull request when it has ended"
	case len(r.OpenLines()) > 0:
		return core.RefusedUnfinished, "these lines are neither merged nor discarded: " + strings.Join(openLines(r), ", ")
	case len(steps) > 0:
		return core.RefusedUnfinished, "these steps of the plan are not marked as done: " + strings.Join(steps, ", ") + ". Do them, or change the plan with update-plan"
	case r.Verified == r.BaseCommit:
		return core.RefusedUnfinished, "there is nothing to publish yet"
	case r.PullRequest != nil && r.PullRequest.Commit == r.Verified:
		return core.RefusedUnfinished, "everything is published already: " + r.PullRequest.URL
	}
	return "", ""
}

// worn asks a person about a line that the manager has had reviewed or fixed too often.
func worn(r *core.Run) []core.Body {
	if r.InTurn() {
		return nil
	}
	for _, d := range r.Managing.Delegations {
		s := wornBy(r, d)
		if d.Status != core.DelegationWaiting || s == nil || !due(r, d) {
			continue
		}
		return []core.Body{core.RunPaused{
			Code: core.PauseAttempts, Stage: s.ID,
			Reason: fmt.Sprintf("the manager wants another %s of %s, after %d reviews and %d fixes of it", d.Proposal.Kind, s.ID, s.Reviews, s.Fixes),
			Advice: core.Advice{Hint: "grant as many again, or give the line up", Choices: r.Choices(core.VerbRetry, core.VerbSkip)},
		}}
	}
	return nil
}

// wornBy is the line because of which a proposal waits until a person is asked; nil if it need not wait.
func wornBy(r *core.Run, d *core.Delegation) *core.Stage {
	name, _ := r.LineName(d.Proposal.Line)
	if s := r.LineOf(name); r.Worn(s, d.Proposal.Kind) {
		return s
	}
	return nil
}

// ready reports that a proposal can begin.
func ready(r *core.Run, d *core.Delegation) bool { return due(r, d) && wornBy(r, d) == nil }

// due reports that all dependencies of a proposal are done.
func due(r *core.Run, d *core.Delegation) bool {
	for _, name := range d.Proposal.After {
		if before := r.Delegation(name); before != nil && before.Status != core.DelegationDone {
			return false
		}
		if s := r.LineOf(name); !r.Was(name) && s != nil && !s.Status.Closed() {
			return false
		}
	}
	return !work.Moving(r) || !d.Proposal.Kind.EngineAct()
}
