package waves

import (
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// works drives the delegations, in the order they were admitted.
func works(r *core.Run) []core.Body {
	if !r.Waves.Open {
		return nil
	}
	var bodies []core.Body
	for _, d := range r.Waves.Works {
		bodies = append(bodies, drive(r, d)...)
	}
	return work.Bounded(r, bodies)
}

// drive drives one delegation.
func drive(r *core.Run, d *core.Delegated) []core.Body {
	s := r.Stage(d.Brief.ID)
	switch d.Status {
	case core.DelegationWaiting:
		if r.Startable(d) && !r.Closing() {
			return begin(r, d, s)
		}
	case core.DelegationOpen:
		t := s.Tasks[len(s.Tasks)-1]
		if work.Exhausted(t) {
			return fail(d, s, work.WhyNot(r, t))
		}
		return work.Advance(r, s, t)
	case core.DelegationFailed:
		if s != nil && s.Status == core.StageOpen {
			return []core.Body{core.StageDiscarded{Stage: s.ID, Round: s.Round, Reason: d.Reason}}
		}
	case core.DelegationDone, core.DelegationPartial:
		if s != nil && s.Status == core.StageOpen && (s.Branch == "" || s.Start() == s.Base) {
			return []core.Body{core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}}
		}
	case core.DelegationBlocked, core.DelegationRefused, core.DelegationDropped:
	}
	return nil
}

func fail(d *core.Delegated, s *core.Stage, reason string) []core.Body {
	return []core.Body{
		core.BriefEnded{Delegation: d.Brief.ID, Status: core.DelegationFailed, Reason: reason},
		core.StageDiscarded{Stage: s.ID, Round: s.Round, Reason: reason},
	}
}

// begin gives a delegation to an agent, for the first time or again with the answers it waited for. Its earlier work is on
// its branch.
func begin(r *core.Run, d *core.Delegated, s *core.Stage) []core.Body {
	for _, name := range d.Brief.Requires {
		if !r.Known(name) {
			reason := fmt.Sprintf("%s no longer exists", name)
			return []core.Body{core.BriefEnded{Delegation: d.Brief.ID, Status: core.DelegationFailed, Reason: reason}}
		}
	}
	if s != nil && work.Count(s, core.KindWork) >= core.MaxTurns {
		return fail(d, s, fmt.Sprintf("it was blocked %d times", core.MaxTurns))
	}
	var bodies []core.Body
	if s == nil {
		opened := core.StageOpened{Stage: d.Brief.ID, Round: 1, Reason: core.OpenAdvance, Base: r.Head, Title: d.Brief.Title()}
		if r.Playbook.Project.Waves.Writes == core.WritesCode {
			opened = work.Begin(r, d.Brief.ID, d.Brief.Title())
		}
		bodies = append(bodies, opened)
		s = &core.Stage{ID: opened.Stage, Round: opened.Round, Base: opened.Base, Branch: opened.Branch}
	}
	return append(bodies, assign(r, d, s))
}

// assign is the task of a delegation.
func assign(r *core.Run, d *core.Delegated, s *core.Stage) core.TaskAdmitted {
	m, name := r.Playbook.Project, ""
	if n := work.Count(s, core.KindWork); n > 0 {
		name = fmt.Sprintf("again%d", n+1)
	}
	t := core.TaskAdmitted{
		Task: core.TaskID(s.ID, s.Round, name), Stage: s.ID, Round: s.Round, Name: name, Role: d.Brief.Agent, Prompt: d.Brief.Task,
		Needs: d.Brief.Needs, Writes: m.Waves.Writes, Attempts: m.Attempts, Timeout: m.Timeout,
		Outputs: append([]string{core.OutputArtifact}, d.Brief.Outputs...),
	}
	answer := core.Check{Kind: core.CheckOutput, Criteria: d.Brief.Criteria, Names: d.Brief.Outputs}
	t.Done = core.Check{Kind: core.CheckAll, Of: append([]core.Check{answer}, work.Parts(m.Done)...)}
	return t
}

// hopeless ends delegations whose dependency will not be done, and those that depend on them. One pass is enough, because
// they were admitted in the order of their dependencies.
func hopeless(r *core.Run) []core.Body {
	var bodies []core.Body
	ended := map[string]bool{}
	for _, d := range r.Waves.Works {
		id := r.Hopeless(d)
		if at := slices.IndexFunc(d.Brief.DependsOn, func(id string) bool { return ended[id] }); id == "" && at >= 0 {
			id = d.Brief.DependsOn[at]
		}
		if id != "" && d.Status == core.DelegationWaiting {
			ended[d.Brief.ID] = true
			bodies = append(bodies, core.BriefEnded{Delegation: d.Brief.ID, Status: core.DelegationFailed, Reason: fmt.Sprintf("it depends on %s, which was not done", id)})
		}
	}
	return bodies
}

// settled reports that all work of a wave is merged or given up.
func settled(r *core.Run) bool {
	for _, d := range r.Waves.Works {
		if s := r.Stage(d.Brief.ID); d.Status.Over() && s != nil && s.Status == core.StageOpen {
			return false
		}
	}
	return true
}

// awaited reports whether another delegation waits for this one.
func awaited(r *core.Run, d *core.Delegated) bool {
	return slices.ContainsFunc(r.Waves.Works, func(other *core.Delegated) bool {
		return other.Status == core.DelegationWaiting && slices.Contains(other.Brief.DependsOn, d.Brief.ID)
	})
}

// next is the delegation to merge: one that is being merged; else the first that others wait for or, once no work is going
// on, the first of all.
func next(r *core.Run) (*core.Delegated, *core.Stage) {
	rests := r.Resting()
	var first *core.Delegated
	for _, d := range r.Waves.Works {
		s := r.Stage(d.Brief.ID)
		if s == nil || s.Status != core.StageOpen || d.Status != core.DelegationDone && d.Status != core.DelegationPartial {
			continue
		}
		if work.Count(s, core.KindMerge) > 0 {
			return d, s
		}
		if first == nil && (rests || awaited(r, d)) {
			first = d
		}
	}
	if first == nil {
		return nil, nil
	}
	return first, r.Stage(first.Brief.ID)
}

// merges merges the work of a wave into the run's branch, one delegation after the other: those that others depend on as
// soon as they are done, the rest once no work is going on.
func merges(r *core.Run) []core.Body {
	if !r.Waves.Open {
		return nil
	}
	d, s := next(r)
	if d == nil {
		return nil
	}
	t := s.Tasks[len(s.Tasks)-1]
	switch {
	case t.Act == core.ActMerge && t.Status == core.TaskDone:
		return []core.Body{core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}}
	case t.Act == core.ActMerge && t.Status == core.TaskDropped && work.Count(s, core.KindResolve) >= r.Playbook.Project.Attempts:
		return []core.Body{core.StageDiscarded{Stage: s.ID, Round: s.Round, Reason: "it could not be merged"}}
	case t.Act == core.ActMerge && t.Status == core.TaskDropped:
		return []core.Body{work.Admit(r, s, core.KindResolve, work.Name(s, core.KindResolve), d.Brief.Agent)}
	case t.Status == core.TaskDone:
		return []core.Body{work.Admit(r, s, core.KindMerge, work.Name(s, core.KindMerge), "")}
	case work.Exhausted(t):
		return []core.Body{core.StageDiscarded{Stage: s.ID, Round: s.Round, Reason: work.WhyNot(r, t)}}
	}
	return work.Bounded(r, work.Advance(r, s, t))
}
