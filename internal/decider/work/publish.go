package work

import "github.com/stellwerk-dev/stellwerk/internal/core"

// Ended completes a project's run whose pull request was merged, and pauses one whose pull request was closed.
func Ended(r *core.Run) []core.Body {
	if r.PullRequest == nil {
		return nil
	}
	switch r.PullRequest.State {
	case core.PullRequestMerged:
		if r.Current() == nil && r.PullRequest.Commit == r.Verified && len(r.Driving.Changes) == 0 {
			return []core.Body{core.RunCompleted{}}
		}
	case core.PullRequestClosed:
		return []core.Body{core.RunPaused{
			Code: core.PausePublish, Stage: core.PublishStage, Reason: "the pull request was closed without being merged",
			Advice: core.Advice{Choices: r.Choices(core.VerbResume, core.VerbCancel)},
		}}
	case core.PullRequestOpen:
	}
	return nil
}

// Review lets a project's run wait for its review once everything is published.
func Review(r *core.Run) []core.Body {
	pr := r.PullRequest
	if r.Status != core.StatusActive || pr == nil || pr.Commit != r.Verified || r.Current() != nil || len(r.Driving.Changes) > 0 {
		return nil
	}
	return []core.Body{core.ReviewAwaited{}}
}

// Moving reports that a commit or a merge is about to move the run's branch.
func Moving(r *core.Run) bool { return r.Driving.PlanWrite != nil || r.Merging() != nil }

// OpenPublish opens a round of publishing, on behalf of the delegation that asked for it, if any.
func OpenPublish(r *core.Run, delegation string) []core.Body {
	opened := core.StageOpened{Stage: core.PublishStage, Round: r.NextRound(core.PublishStage), Reason: core.OpenAdvance, Base: r.Head, Title: "Publish"}
	return []core.Body{opened, core.TaskAdmitted{
		Task: core.TaskID(core.PublishStage, opened.Round, ""), Stage: core.PublishStage, Round: opened.Round,
		Kind: core.KindPR, Act: core.ActPullRequest, Writes: core.WritesCode, Delegation: delegation,
	}}
}

// Publishing moves a project's publishing on. It pauses if publishing failed. due says that an open round may be brought
// to its gate now.
func Publishing(r *core.Run, due bool) []core.Body {
	s := r.Stage(core.PublishStage)
	switch {
	case s == nil:
	case s.Trouble != "":
		return []core.Body{core.RunPaused{
			Code: core.PausePublish, Stage: s.ID, Reason: s.Trouble,
			Advice: core.Advice{Choices: r.Choices(core.VerbResume)},
		}}
	case s.Status == core.StageGated:
		return Publish(r, s)
	case s.Status == core.StageOpen && due:
		return Prepare(r, s)
	}
	return nil
}

// Prepare drives a round of publishing to its gate.
func Prepare(r *core.Run, s *core.Stage) []core.Body {
	for _, t := range s.Tasks {
		if t.Prepared != nil {
			return []core.Body{core.ApprovalRequested{Subject: core.GateSubject(r, s), Notices: append(Unenforced(r), t.Prepared.Notices...), Leaks: t.Prepared.Leaks}}
		}
		if b := Next(r, s, t); b != nil {
			return []core.Body{b}
		}
	}
	return nil
}

// Publish closes a stage whose gate was approved. A pull request is published first.
func Publish(r *core.Run, s *core.Stage) []core.Body {
	if s.Gate == nil || !s.Gate.Approved {
		return nil
	}
	for _, t := range s.Tasks {
		if t.Act != "" && t.Status == core.TaskDelivered {
			return []core.Body{core.PublishRequested{Task: t.ID, Subject: s.Gate.Subject, Title: Title(r)}}
		}
	}
	if !s.TasksDone() {
		return nil
	}
	return []core.Body{core.StagePassed{Stage: s.ID, Round: s.Round, Commit: r.Head}}
}

// Unenforced notes, for the person who approves, that nothing confined the agents.
func Unenforced(r *core.Run) []string {
	if r.Isolation != "none" {
		return nil
	}
	return []string{"unenforced: this run's agents are not isolated"}
}
