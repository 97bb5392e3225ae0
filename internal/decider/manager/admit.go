package manager

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// admit begins proposed work.
func admit(r *core.Run, d *core.Delegation) []core.Body {
	p := d.Proposal
	name, _ := r.LineName(p.Line)
	switch p.Kind {
	case core.KindPR:
		return work.OpenPublish(r, d.ID)
	case core.KindValidate:
		return validate(r, d)
	case core.KindDiscard:
		s, reason := r.LineOf(name), p.Prompt
		if reason == "" {
			reason = "the manager gave it up"
		}
		return []core.Body{core.StageDiscarded{Stage: s.ID, Round: s.Round, Reason: reason, Delegation: d.ID}}
	case core.KindMerge:
		s := r.LineOf(name)
		t := work.Admit(r, s, core.KindMerge, work.Name(s, core.KindMerge), "")
		t.Delegation = d.ID
		return []core.Body{t}
	case core.KindWork, core.KindCode, core.KindReview, core.KindFix, core.KindPlan, core.KindResolve, core.KindManage, core.KindWave:
	}
	return assign(r, d)
}

// lineOf is the line that work belongs to: one of its own if it names none.
func lineOf(r *core.Run, d *core.Delegation) string {
	if name, _ := r.LineName(d.Proposal.Line); name != "" {
		return name
	}
	return d.ID
}

// assign gives work to an agent, on an existing line or a new one.
func assign(r *core.Run, d *core.Delegation) []core.Body {
	var bodies []core.Body
	name := lineOf(r, d)
	s := r.LineOf(name)
	if s == nil || s.Status.Closed() {
		opened := work.Begin(r, name, d.Proposal.Name())
		bodies = append(bodies, opened)
		s = &core.Stage{ID: opened.Stage, Round: opened.Round, Base: opened.Base, Branch: opened.Branch}
	}
	label := d.ID
	if name == d.ID {
		label = ""
	}
	t := work.Admit(r, s, d.Proposal.Kind, label, d.Proposal.Role)
	t.Delegation, t.Prompt = d.ID, d.Proposal.Prompt
	for _, in := range d.Proposal.Inputs {
		t.Inputs = append(t.Inputs, core.Input{Name: in})
	}
	t.Done = checks(r, d.Proposal, t.Done)
	t.Outputs = append(t.Outputs, d.Proposal.Outputs...)
	return append(bodies, t)
}

// checks adds the proposal's own checks to those of all work. Work that hands in documents need not change anything else.
func checks(r *core.Run, p core.Proposal, done core.Check) core.Check {
	if len(p.Outputs) > 0 && p.Kind == core.KindWork {
		done = work.Unchanged(r)
	}
	parts := slices.Clone(work.Parts(done))
	for _, name := range p.Outputs {
		parts = append(parts, core.Check{Kind: core.CheckArtifact, Name: name})
	}
	for _, command := range p.Checks {
		parts = append(parts, core.Check{Kind: core.CheckCommand, Run: command})
	}
	return core.Check{Kind: core.CheckAll, Of: parts}
}

func validate(r *core.Run, d *core.Delegation) []core.Body {
	return []core.Body{
		core.StageOpened{Stage: d.ID, Round: 1, Reason: core.OpenAdvance, Base: r.Head, Title: "Validate " + r.Branch},
		core.TaskAdmitted{
			Task: core.TaskID(d.ID, 1, ""), Stage: d.ID, Round: 1, Kind: core.KindValidate, Act: core.ActValidate,
			Writes: core.WritesArtifacts, Done: r.Playbook.Project.Done, Delegation: d.ID,
		},
	}
}
