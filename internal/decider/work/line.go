package work

import (
	"fmt"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// ReviewArtifact is the document in which a review is handed in.
const ReviewArtifact = "review.json"

// Admit makes a task of a kind for a stage that has a branch of its own. role, if any, replaces the playbook's choice.
func Admit(r *core.Run, s *core.Stage, kind core.TaskKind, name, role string) core.TaskAdmitted {
	m := r.Playbook.Project
	t := core.TaskAdmitted{
		Task: core.TaskID(s.ID, s.Round, name), Stage: s.ID, Round: s.Round, Name: name, Kind: kind,
		Role: m.Roles[kind], Writes: core.WritesCode, Done: m.Done, Attempts: m.Attempts, Timeout: m.Timeout,
	}
	if role != "" {
		t.Role = role
	}
	switch kind {
	case core.KindMerge:
		t.Role, t.Act, t.Attempts, t.Timeout = "", core.ActMerge, 0, 0
	case core.KindReview:
		t.Writes, t.Outputs = core.WritesArtifacts, []string{ReviewArtifact}
		t.Done = core.Check{Kind: core.CheckArtifact, Name: ReviewArtifact}
	case core.KindWork, core.KindCode, core.KindFix:
		t.Done = core.Check{Kind: core.CheckAll, Of: append([]core.Check{core.ChangesSomething(s.Line)}, Parts(Unchanged(r))...)}
	case core.KindResolve:
		t.Done = core.Check{Kind: core.CheckAll, Of: append([]core.Check{{Kind: core.CheckMerge, Into: s.Conflict.Into, From: s.Line}, core.LeavesPlan(s.Conflict.Into)}, Parts(m.Done)...)}
	case core.KindPlan, core.KindValidate, core.KindPR, core.KindDiscard, core.KindManage, core.KindWave:
	}
	return t
}

// Unchanged is the check of work on a branch that need not change anything.
func Unchanged(r *core.Run) core.Check {
	return core.Check{Kind: core.CheckAll, Of: append([]core.Check{core.LeavesPlan("")}, Parts(r.Playbook.Project.Done)...)}
}

// Parts are the checks of a compound that must all pass.
func Parts(c core.Check) []core.Check {
	if c.Kind == core.CheckAll || c.Kind == "" {
		return c.Of
	}
	return []core.Check{c}
}

// Count is how many tasks of a kind a stage's round had.
func Count(s *core.Stage, kind core.TaskKind) int {
	n := 0
	for _, t := range s.Tasks {
		if t.Kind == kind {
			n++
		}
	}
	return n
}

// Name is the name of a stage's next task of a kind.
func Name(s *core.Stage, kind core.TaskKind) string {
	if n := Count(s, kind); n > 0 {
		return string(kind) + fmt.Sprint(n+1)
	}
	return string(kind)
}

// Advance drives a task. A merge waits until no other merge is going on.
func Advance(r *core.Run, s *core.Stage, t *core.Task) []core.Body {
	if t.Act == core.ActMerge && t.Status == core.TaskWaiting && Moving(r) && !Lost(r, t) {
		return nil
	}
	if b := Next(r, s, t); b != nil {
		return []core.Body{b}
	}
	return nil
}

// Begin opens a stage's next round, on a branch of its own.
func Begin(r *core.Run, id, title string) core.StageOpened {
	b := core.StageOpened{Stage: id, Round: r.NextRound(id), Reason: core.OpenAdvance, Base: r.Head, Title: title}
	if s := r.Stage(id); s != nil && s.Next != nil {
		b.Reason = s.Next.Reason
	}
	b.Branch = fmt.Sprintf("%s-%s-%d", r.Branch, id, b.Round)
	return b
}

// Bounded keeps one request to merge, because each merge builds on the one before, and no more attempts than may run at
// once, because the others would get no slot. If there is a pause, only that is kept.
func Bounded(r *core.Run, bodies []core.Body) []core.Body {
	var kept []core.Body
	merging, free := false, r.Limits.AtOnce()-len(r.Active())
	if r.Turning() != nil {
		free++ // a manager needs no worker's slot
	}
	for _, b := range bodies {
		switch b := b.(type) {
		case core.RunPaused:
			return []core.Body{b}
		case core.VerifyRequested:
			if b.Fresh && merging {
				continue
			}
			merging = merging || b.Fresh
		case core.AttemptRequested:
			if free <= 0 {
				continue
			}
			free--
		default:
		}
		kept = append(kept, b)
	}
	return kept
}
