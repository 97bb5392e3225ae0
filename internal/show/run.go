// Package show turns a run's state into what clients are shown of it. It is pure: it
// loads nothing, and it decides nothing.
package show

import (
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/agent"
	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/check"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/dispatch"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// Run shows a run's state to a client.
func Run(r *core.Run) api.Run {
	v := api.Run{
		ID: r.ID, Alias: r.Alias, Project: r.Project, Title: r.Title, Issue: r.Issue, Status: r.Status,
		Reason: r.EndReason, Attempts: r.Attempts, Cost: r.Cost(), Tokens: r.Usage.Tokens(),
		Branch: r.Branch, Base: r.Base, Isolation: r.Isolation, Network: r.Network.Mode(), Session: r.Session, StartedAt: r.StartedAt, UpdatedAt: r.Now(),
		EndedAt: r.EndedAt, Seq: r.Stream.Seq, Next: wording.Next(r), Advice: r.Advice(), MergesHere: r.MergesHere(),
	}
	if r.Distant() {
		v.Remote = r.Remote
	}
	if r.Playbook != nil {
		v.Kind = r.Playbook.Kind
		if !r.Playbook.MakesBranch() {
			v.Branch = ""
		}
	}
	if s := r.Current(); s != nil {
		v.Stage = s.ID
	}
	if s := r.Gated(); s != nil && r.Status == core.StatusAwaiting {
		v.Stage, v.Subject = s.ID, new(s.Gate.Subject)
	}
	if reason := r.Waits(); reason != "" {
		v.Reason, v.Halted = reason, r.Pause != nil && r.Pause.Stop
	}
	if r.PullRequest != nil {
		v.URL, v.CI, v.Preview = r.PullRequest.URL, r.PullRequest.Checks, r.PullRequest.Preview
		if v.Merge = r.PullRequest.Merged; v.Merge != "" {
			v.MergedBy = r.PullRequest.Grant.By
		}
	}
	return v
}

// Detail shows all of a run that follows from its state.
func Detail(r *core.Run) api.RunDetail {
	d := api.RunDetail{Run: Run(r), Goal: r.Goal, Playbook: r.Playbook.Name, Options: r.Options, Head: r.Head, Pause: r.Pause, Onward: r.Managed(), Opaque: Opaque(r), Preflight: r.Preflight, Changed: r.Work() != r.BaseCommit}
	for _, s := range r.Stages {
		stage := api.Stage{ID: s.ID, Status: s.Status, Round: s.Round}
		if s.Status == core.StageOmitted {
			stage.Skip = s.Skip
		}
		stage.Title, stage.Branch, stage.After, stage.Review = s.Title, s.Branch, before(r, s), s.Review()
		if stage.Asked = s.Hotfix; s.Next != nil {
			stage.Asked = s.Next.Hotfix
		}
		if phase := r.Playbook.Phase(s.ID); phase != nil {
			stage.Title, stage.Gate, stage.Number = phase.Title, phase.Gate, r.Playbook.Number(s.ID)
			stage.Code = phase.Writes == core.WritesCode && phase.Act == ""
		} else if s.Gate != nil {
			stage.Gate = core.GateApproval
		}
		for _, t := range s.Tasks {
			task := task(t)
			if t.Act == core.ActPullRequest {
				task.Checks = check.Names(dispatch.GateCheck(r, s.ID), nil)
			}
			stage.Tasks = append(stage.Tasks, task)
		}
		d.Stages = append(d.Stages, stage)
	}
	if s := r.Gated(); s != nil && r.Status == core.StatusAwaiting {
		d.Gate = s.Gate
	}
	d.Pause, d.Resources = r.Pause, r.Resources
	if r.ByManager() {
		d.Manager = manager(r)
	}
	if r.ByWaves() {
		d.Waves = waves(r)
	}
	return d
}

func task(t *core.Task) api.Task {
	task := api.Task{
		ID: t.ID, Name: t.Name, Kind: t.Kind, Prompt: t.Prompt, Role: t.Role, Act: t.Act, Status: t.Status, NotBefore: t.NotBefore, Limit: t.Limit, Counted: t.Counted,
	}
	if t.Act == "" {
		task.Checks = check.Names(t.Done, t.Outputs)
	}
	if t.Prepared != nil {
		task.Prepared = t.Prepared.Results
	}
	if t.Blocked != nil {
		task.Blocked = wording.Turn(*t.Blocked, nil, 0)
	}
	for _, at := range t.Attempts {
		v := api.Attempt{
			ID: at.ID, N: at.N, Status: at.Status, Agent: at.Agent, Exit: at.Exit, Message: at.Message,
			Summary: at.Summary, Verdict: at.Verdict, Results: at.Results, Usage: at.Used(), Claimed: Claimed(at.Usage, at.Metered), Duration: at.Duration,
			StartedAt: at.StartedAt, Traffic: at.Traffic, Resources: at.Resources,
		}
		if at.Delivery != nil {
			v.Commit, v.Artifacts = at.Delivery.Commit, at.Delivery.Artifacts
			v.Notes, v.Rejected = at.Delivery.Notes, at.Delivery.Rejected
		}
		task.Attempts = append(task.Attempts, v)
	}
	return task
}

// Claimed is what an agent says that it used, beside what its broker metered; nil
// if that is all that is known.
func Claimed(claim core.Usage, metered *core.Usage) *core.Usage {
	if metered == nil {
		return nil
	}
	return &claim
}

// Opaque are the agents of a run whose tool calls cannot be seen. Where a session
// drives it, its agents are the session's own.
func Opaque(run *core.Run) []string {
	var names []string
	for name, def := range run.Playbook.Agents {
		if run.Session == "" && agent.Opaque(def.Use) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
