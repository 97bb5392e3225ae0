package runfolder

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// workflowState is workflow-state.json, in the names that tools around the
// phase workflow read.
type workflowState struct {
	Workflow           string           `json:"workflow"`
	Status             string           `json:"status"`
	Issue              issue            `json:"issue"`
	Branch             string           `json:"branch"`
	FromBranch         string           `json:"fromBranch"`
	TargetCoverage     int              `json:"targetCoverage"`
	ModelTier          string           `json:"modelTier"`
	UIDesigner         bool             `json:"uiDesigner"`
	OwnerSessionID     string           `json:"ownerSessionId"`
	CurrentPhase       int              `json:"currentPhase"`
	StartedAt          time.Time        `json:"startedAt"`
	Phases             map[string]phase `json:"phases"`
	Context            json.RawMessage  `json:"context"`
	Recovery           map[string]int   `json:"recovery"`
	StopHookBlockCount int              `json:"stopHookBlockCount"`
	PushApproved       bool             `json:"pushApproved"`
	PauseReason        string           `json:"pauseReason,omitempty"`  // a code
	PauseMessage       string           `json:"pauseMessage,omitempty"` // the reason in words
}

type issue struct {
	Number int    `json:"number,omitempty"`
	Title  string `json:"title"`
	URL    string `json:"url,omitempty"`
}

type phase struct {
	Name   string `json:"name"`
	Status string `json:"status"`
	Round  int    `json:"round,omitempty"`
	Commit string `json:"commit,omitempty"`
	PRURL  string `json:"prUrl,omitempty"`

	CompletedAt time.Time `json:"completedAt,omitzero"`
}

// State renders workflow-state.json. It is a pure function of the run.
func State(r *core.Run) ([]byte, error) {
	s := workflowState{
		Status: string(r.Status), Issue: issueOf(r), Branch: r.Branch, FromBranch: r.Base,
		TargetCoverage: r.Options.Coverage, ModelTier: string(r.Options.ModelTier), UIDesigner: r.Options.UIDesigner,
		OwnerSessionID: r.Session, StopHookBlockCount: r.Sterile,
		StartedAt: r.StartedAt,
		Phases:    map[string]phase{}, Recovery: map[string]int{},
	}
	if r.Status == "" {
		s.Status = "idle"
	}
	if r.Playbook != nil {
		s.Workflow = r.Playbook.Name
	}
	current := r.Current()
	for i, stage := range r.Stages {
		key := number(r, i, stage)
		if s.CurrentPhase = whole(key); stage == current {
			break
		}
		s.CurrentPhase++ // past the last one if all are over
	}
	for i, stage := range r.Stages {
		s.add(r, number(r, i, stage), stage)
	}
	if r.Pause != nil {
		s.PauseReason, s.PauseMessage = pauseCode(r, s.CurrentPhase), r.Pause.Reason
	}
	var err error
	if s.Context, err = contextOf(r); err != nil {
		return nil, err
	}
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("state of run %s: %w", r.ID, err)
	}
	return append(data, '\n'), nil
}

// number is the number of a stage's phase, or the stage's index if it is not a
// phase.
func number(r *core.Run, at int, stage *core.Stage) string {
	if r.Playbook != nil {
		if n := r.Playbook.Number(stage.ID); n != "" {
			return n
		}
	}
	return strconv.Itoa(at)
}

// whole is the number of a phase without that of its way out.
func whole(number string) int {
	before, _, _ := strings.Cut(number, ".")
	n, err := strconv.Atoi(before)
	if err != nil {
		return 0
	}
	return n
}

// pauseCode is why a run pauses: the code that tools around the phase workflow
// know, otherwise our own.
func pauseCode(r *core.Run, phase int) string {
	switch r.Pause.Code {
	case core.PauseAttempts:
		return fmt.Sprintf("max_retries_phase_%d", phase)
	case core.PauseSterile:
		return "stop_hook_loop_detected"
	default:
		return string(r.Pause.Code)
	}
}

func (s *workflowState) add(r *core.Run, key string, stage *core.Stage) {
	p := phase{Name: stage.ID, Status: phaseStatus(stage.Status), Round: stage.Round, Commit: stage.Commit}
	if stage.Status.Closed() {
		p.CompletedAt = stage.ClosedAt
	}
	if r.Playbook != nil {
		if def := r.Playbook.Phase(stage.ID); def != nil && def.Title != "" {
			p.Name = def.Title
		}
	}
	for _, t := range stage.Tasks {
		if t.Counted > 0 {
			s.Recovery["phase_"+key+"_attempts"] += t.Counted
		}
		if t.Act != core.ActPullRequest {
			continue
		}
		if r.PullRequest != nil {
			p.PRURL = r.PullRequest.URL
		}
		s.PushApproved = stage.Gate != nil && stage.Gate.Approved
	}
	s.Phases[key] = p
}

// phaseStatus is the word that tools around the phase workflow expect.
func phaseStatus(s core.StageStatus) string {
	switch s {
	case core.StageDone:
		return "completed"
	case core.StageOpen:
		return "active"
	case core.StageGated:
		return "awaiting_approval"
	case core.StagePending, core.StageOmitted, core.StageStale:
		return string(s)
	}
	return string(s)
}

func issueOf(r *core.Run) issue {
	i := issue{Title: r.Title}
	if n, err := strconv.Atoi(core.IssueNumber(r.Issue)); err == nil {
		i.Number = n
	}
	if i.Number == 0 || core.IssueAddress(r.Issue) {
		i.URL = r.Issue
	}
	return i
}
