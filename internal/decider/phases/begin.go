package phases

import (
	"fmt"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/admission"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// refused asks admission about the tasks of a round. It returns the first refusal; nil if all tasks are admitted.
func refused(r *core.Run, round []core.TaskAdmitted) *admission.Verdict {
	q := admission.Request{Roles: admission.Roles(r.Playbook.Roles)}
	for _, t := range round {
		p := admission.Piece{ID: t.Task, Role: t.Role, Act: t.Act != "", Needs: t.Needs, Outputs: t.Outputs, After: t.DependsOn}
		for _, in := range t.Inputs {
			if in.Optional {
				continue
			}
			p.Requires = append(p.Requires, in.Name)
			if r.Artifact(in.Name) != nil {
				q.Known.Documents = append(q.Known.Documents, admission.Document{Name: in.Name})
			}
		}
		q.Pieces = append(q.Pieces, p)
	}
	for _, v := range admission.Judge(q) {
		if !v.Admitted() {
			return &v
		}
	}
	return nil
}

// blocked is what follows if a round cannot begin. Reading the playbook checked roles and capabilities, so a person must
// see if one is missing here.
func blocked(r *core.Run, s *core.Stage, v admission.Verdict) core.Body {
	if v.Code == admission.MissingInput {
		return missing(r, s, v.Members[0])
	}
	return core.RunPaused{
		Code: core.PauseAction, Stage: s.ID, Reason: fmt.Sprintf("stage %s cannot begin: %s: %s", s.ID, v.Piece, v.Text),
		Advice: core.Advice{Choices: r.Choices(core.VerbSkip)},
	}
}

// missing sends the run back to the stage that should have handed in an artifact, or asks a person if that stage was
// skipped on purpose.
func missing(r *core.Run, s *core.Stage, name string) core.Body {
	producer := ""
	for _, p := range r.Playbook.Phases {
		if p.ID == s.ID {
			break
		}
		if slices.Contains(p.Outputs, name) || p.Team != nil && slices.ContainsFunc(p.Team.Spokes, func(spoke string) bool { return document(&p, spoke) == name }) {
			producer = p.ID
		}
	}
	from := r.Stage(producer)
	if from != nil && from.Status == core.StageDone && r.AutoRounds < r.Limits.AutoRounds {
		return core.RolledBack{From: s.ID, Target: producer, Auto: true, Text: fmt.Sprintf("The output %s is missing; %s needs it.", name, s.ID)}
	}
	reason := fmt.Sprintf("stage %s needs %s, which nothing handed in", s.ID, name)
	if from != nil && from.Status == core.StageOmitted {
		reason = fmt.Sprintf("stage %s needs %s, but stage %s, which would hand it in, was skipped", s.ID, name, producer)
	}
	return core.RunPaused{
		Code: core.PauseInput, Stage: s.ID, Reason: reason,
		Advice: core.Advice{Choices: []core.Choice{{Verb: core.VerbRollback, Run: r.Alias, Stage: producer}, {Verb: core.VerbSkip, Run: r.Alias}}},
	}
}
