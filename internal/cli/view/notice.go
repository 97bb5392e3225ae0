package view

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Newsworthy reports an event to show in a conversation: something that was done,
// not said.
func Newsworthy(e core.Event) bool {
	switch body, err := core.Decode(e); b := body.(type) {
	case core.StageOpened:
		return err == nil && b.Stage == core.ManagerStage
	case core.RunPaused:
		return err == nil && b.Code != core.PauseQuestion
	default:
	}
	return slices.Contains([]core.Type{
		core.TypeWaveOpened, core.TypeWaveClosed, core.TypeTaskProposed, core.TypeTaskRefused, core.TypeTaskFailed, core.TypeMergeConcluded, core.TypeStageDiscarded,
		core.TypeValidateConcluded, core.TypePlanUpdated, core.TypeChangesRequested, core.TypeApprovalRequested, core.TypeApprovalGranted,
		core.TypePublishConcluded, core.TypeReviewAwaited, core.TypeMergeGranted, core.TypeMergeFailed, core.TypePullRequestSeen, core.TypeRunResumed,
		core.TypeRunCompleted, core.TypeRunFailed, core.TypeRunCancelled,
	}, e.Type)
}

// Notice is an event in a conversation, set apart from messages.
func (v View) Notice(e core.Event) []string {
	what, detail := wording.Event(e)
	prefix := v.clock(e.At) + "  " + v.Style.Glyph("· ", "- ")
	lines := terminal.Hang(prefix, terminal.Line(wording.Colon(what, detail)), v.Width)
	for i, l := range lines {
		lines[i] = v.Style.Faint(l)
	}
	return lines
}

// Standing is a run's state in a line, for those who join a conversation.
func (v View) Standing(d api.RunDetail) []string {
	s := v.runSignal(d.Run)
	words := s.words
	if d.Manager != nil && d.Status == core.StatusActive {
		words = turn(d.Manager)
	}
	return v.hang(s.String()+" "+v.Style.Strong(terminal.Line(d.Alias))+"  ", nil, wording.Colon(words, d.Reason))
}
