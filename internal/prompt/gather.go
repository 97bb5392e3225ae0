package prompt

import (
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Gather collects from a run what the prompt of one of its attempts depends on.
func Gather(r *core.Run, attempt string) (Input, error) {
	stage, task, a := r.Attempt(attempt)
	if a == nil {
		return Input{}, core.Errorf(core.CodeNotFound, "run %s has no attempt %s in a current round", r.Alias, attempt)
	}
	phase, hotfix, branch := r.Playbook.Phase(stage.ID), stage.Hotfix, r.Branch
	if r.Managed() {
		managed, err := managedPhase(r, stage, task)
		if err != nil {
			return Input{}, fmt.Errorf("write what %s is to do: %w", task.ID, err)
		}
		phase, hotfix = &managed, managedHotfix(stage, task)
		if stage.Branch != "" {
			branch = stage.Branch
		}
	}
	if phase == nil {
		return Input{}, core.Errorf(core.CodeNotFound, "the playbook of run %s has no phase %s", r.Alias, stage.ID)
	}
	in := Input{
		Goal: r.Goal, Title: r.Title, Issue: r.Issue, Branch: branch, Target: r.Base, Origin: r.BaseCommit,
		Coverage: r.Options.Coverage,
		Phase:    *phase, Phases: len(r.Stages), Round: stage.Round, Reason: stage.Reason, Hotfix: hotfix,
		Task: task.Name, Role: role(r.Playbook, task.Role), Writes: task.Writes, Outputs: task.Outputs, Done: task.Done,
		Base: a.Base, Since: stage.Base, Try: task.Counted + 1, Limit: task.Limit, Timeout: task.Timeout,
	}
	in.Closed = closed(r)
	in.RedBefore = redBefore(r.Preflight, task)
	in.Skippable = skippable(r, stage.ID, task)
	for i, s := range r.Stages {
		if s.ID == stage.ID {
			in.Number = i + 1
		}
	}
	for _, want := range task.Inputs {
		if want.Files != "" {
			for _, file := range r.Changed(want.Files) {
				in.Inputs = append(in.Inputs, InputFile{Name: file, Stage: want.Files, Tree: true})
			}
			continue
		}
		in.Inputs = append(in.Inputs, InputFile{Name: want.Name, Stage: producer(r, want.Name), Optional: want.Optional})
	}
	if phase.Team != nil {
		in.Part, in.Team = part(task), phase.Team.Spokes
	}
	if len(task.Seen) > 0 {
		in.Failed = &Failure{Results: task.Seen}
	}
	for _, earlier := range task.Attempts {
		if earlier.ID == a.ID {
			break
		}
		in.Last = earlier
		if earlier.Verdict == core.VerdictFailed {
			in.Failed = &Failure{Attempt: earlier.N, Results: earlier.Results}
		}
	}
	return in, nil
}

// closed reports that a run's attempts reach only the hosts on their list.
func closed(r *core.Run) bool {
	return r.Isolation != "none" && r.Network != nil && !r.Network.Open
}

// part is what a task does in its team.
func part(t *core.Task) Part {
	switch t.Name {
	case core.HubTask:
		return Hub
	case core.SoloTask:
		return Solo
	}
	return Spoke
}

// skippable are the later phases that this task's plan may skip.
func skippable(r *core.Run, stage string, t *core.Task) []core.Phase {
	if !slices.Contains(t.Outputs, core.PlanArtifact) {
		return nil
	}
	return r.Playbook.Skippable(stage)
}

// role is a role of the playbook, or one with nothing but its name.
func role(p *core.Playbook, name string) core.Role {
	found := p.Roles[name]
	found.Name = name
	return found
}

// producer is the stage that handed in the valid artifact of a name; "" if there is none.
func producer(r *core.Run, name string) string {
	valid := r.Artifact(name)
	if valid == nil {
		return ""
	}
	for _, s := range r.Stages {
		for _, t := range s.Tasks {
			if t.Delivered().Artifact(name) == valid {
				return s.ID
			}
		}
	}
	return ""
}

// redBefore are those of a task's checks that failed before the run began.
func redBefore(p *core.Preflight, t *core.Task) []string {
	var red []string
	names := check.Names(t.Done, t.Outputs)
	for _, c := range p.Red() {
		if slices.Contains(names, c.Check) {
			red = append(red, c.Check)
		}
	}
	return red
}
