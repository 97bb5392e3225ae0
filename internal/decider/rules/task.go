package rules

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/decider/work"
)

// reviewArtifact is the document by which a review is handed in.
const reviewArtifact = "review.json"

// admit adds a task of a kind to a stage's round.
func admit(r *core.Run, s *core.Stage, step *core.Step, kind core.TaskKind) []core.Body {
	m := r.Playbook.Project
	name := string(kind)
	if n := count(s, kind); n > 0 {
		name += fmt.Sprint(n + 1)
	}
	t := core.TaskAdmitted{
		Task: core.TaskID(s.ID, s.Round, name), Stage: s.ID, Round: s.Round, Name: name, Kind: kind,
		Role: m.Roles[kind], Writes: core.WritesCode, Done: m.Done, Attempts: m.Attempts, Timeout: m.Timeout,
	}
	switch kind {
	case core.KindMerge:
		t.Role, t.Act, t.Attempts, t.Timeout = "", core.ActMerge, 0, 0
	case core.KindReview:
		t.Writes, t.Outputs = core.WritesArtifacts, []string{reviewArtifact}
		t.Done = core.Check{Kind: core.CheckArtifact, Name: reviewArtifact}
	case core.KindCode, core.KindFix:
		if step != nil && step.Role != "" && (kind == core.KindCode || m.Roles[core.KindFix] == m.Roles[core.KindCode]) {
			t.Role = step.Role
		}
		t.Done = core.Check{Kind: core.CheckAll, Of: append([]core.Check{core.ChangesSomething(s.Line), core.LeavesPlan("")}, parts(m.Done)...)}
	case core.KindResolve:
		t.Done = core.Check{Kind: core.CheckAll, Of: append([]core.Check{{Kind: core.CheckMerge, Into: s.Conflict.Into, From: s.Line}, core.LeavesPlan(s.Conflict.Into)}, parts(m.Done)...)}
	case core.KindWork, core.KindPlan, core.KindValidate, core.KindPR:
	}
	return []core.Body{t}
}

// parts are the checks of a compound that all must hold.
func parts(c core.Check) []core.Check {
	if c.Kind == core.CheckAll || c.Kind == "" {
		return c.Of
	}
	return []core.Check{c}
}

// publish brings what is merged to the pull request once nothing else is left.
func publish(r *core.Run) []core.Body {
	s := r.Stage(core.PublishStage)
	if s != nil && s.Trouble != "" {
		return []core.Body{core.RunPaused{
			Code: core.PausePublish, Stage: s.ID, Reason: s.Trouble,
			Next: fmt.Sprintf("`stellwerk resume %s` tries again", r.Alias),
		}}
	}
	if s != nil && s.Status == core.StageGated {
		return publishing(r, s)
	}
	if !complete(r) || moving(r) {
		return nil
	}
	if s != nil && s.Status == core.StageOpen {
		return prepare(r, s)
	}
	if pr := r.PullRequest; pr != nil && pr.Commit == r.Verified {
		return nil
	}
	opened := core.StageOpened{Stage: core.PublishStage, Round: 1, Reason: core.OpenAdvance, Base: r.Head, Title: "Publish"}
	if s != nil {
		opened.Round = s.Round + 1
	}
	return []core.Body{opened, core.TaskAdmitted{
		Task: core.TaskID(core.PublishStage, opened.Round, ""), Stage: core.PublishStage, Round: opened.Round,
		Kind: core.KindPR, Act: core.ActPullRequest, Writes: core.WritesCode,
	}}
}

// complete reports that every step is merged and marked, and nobody wants
// anything changed.
func complete(r *core.Run) bool {
	for _, step := range r.Plan.Steps {
		s := r.Stage(stageOf(step))
		if !step.Done && (s == nil || s.Status != core.StageOmitted) {
			return false
		}
	}
	for _, s := range r.Stages {
		if s.ID != core.PublishStage && !s.Status.Closed() {
			return false
		}
	}
	return len(r.Changes) == 0
}

func prepare(r *core.Run, s *core.Stage) []core.Body {
	for _, t := range s.Tasks {
		if t.Prepared != nil {
			return []core.Body{core.ApprovalRequested{Subject: core.GateSubject(r, s), Notices: append(unenforced(r), t.Prepared.Notices...)}}
		}
		if b := work.Next(r, s, t); b != nil {
			return []core.Body{b}
		}
	}
	return nil
}

func publishing(r *core.Run, s *core.Stage) []core.Body {
	if s.Gate == nil || !s.Gate.Approved {
		return nil
	}
	for _, t := range s.Tasks {
		if t.Status == core.TaskDelivered {
			return []core.Body{core.PublishRequested{Task: t.ID, Subject: s.Gate.Subject, Title: work.Title(r)}}
		}
	}
	if !s.TasksDone() {
		return nil
	}
	return []core.Body{core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}}
}
