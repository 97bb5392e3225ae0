package main

import (
	"fmt"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/playbook"
	"github.com/stellwerk-dev/stellwerk/internal/role"
)

// person gives the words that only a person may give.
func person() core.Actor { return core.Person("bench") }

// commit stands for a commit where no repository is involved.
func commit(n int64) string { return fmt.Sprintf("%040x", n) }

// feature is a run of the built-in playbook. Its number makes it one of many.
func feature(n int) (core.RunStarted, error) {
	p, _, err := playbook.Builtin(playbook.Feature, playbook.Options{
		Roles: role.Builtin(), Agent: "claude",
		Commands: playbook.Commands{Build: "go build ./...", Test: "go test ./..."},
	})
	if err != nil {
		return core.RunStarted{}, err
	}
	limits := core.DefaultLimits()
	limits.Parallel = 10_000 // every run of a figure is to be under way at once
	id := fmt.Sprintf("0199a000-0000-7000-8000-%012x", n)
	return core.RunStarted{
		Run: id, Alias: fmt.Sprintf("search-field-%d", n), Project: "bench", Goal: "add a search field to the list of customers",
		Title: "Add a search field to the list of customers", Playbook: *p, Limits: limits,
		Base: "main", BaseCommit: commit(1), Branch: fmt.Sprintf("feature/search-field-%d", n), Remote: "origin",
		Forge: "local", Isolation: "none", Identity: core.Identity{Name: "Bench", Email: "bench@example.org"},
	}, nil
}

// next is what happens next to a run where all goes well and that is sent back
// to its first stage whenever it comes to its last gate: an answer to its
// first open effect, or a person's word.
func next(r *core.Run) (core.Actor, core.Body) {
	if effects := core.Effects(r); len(effects) > 0 {
		return core.Engine(), conclude(r, effects[0])
	}
	s := r.Current()
	if s.ID == r.Stages[len(r.Stages)-1].ID {
		return person(), core.RolledBack{From: s.ID, Target: r.Stages[0].ID, Text: "Once more, with the sorting kept."}
	}
	return person(), core.ApprovalGranted{Subject: s.Gate.Subject}
}

// conclude is what an action leads to where it succeeds.
func conclude(r *core.Run, action core.Action) core.Body {
	switch a := action.(type) {
	case core.StartAttempt:
		return core.AttemptStarted{Attempt: a.Attempt, Agent: "claude", Spawner: "local", Isolation: r.Isolation, Prompt: strings.Repeat("ab", 32)}
	case core.WatchAttempt:
		return exited(r, a.Attempt)
	case core.StopAttempt:
		return core.AttemptExited{Attempt: a.Attempt, Kind: core.ExitCancelled}
	case core.Verify:
		return core.VerifyConcluded{Task: a.Task, Attempt: a.Attempt, Passed: true, Results: []core.CheckResult{
			{Check: "command: go test ./...", Kind: core.CheckCommand, Passed: true, Detail: "Exit status 0.", Output: strings.Repeat("cd", 32)},
		}}
	case core.EvaluateCondition:
		return core.ConditionEvaluated{Stage: a.Stage, Holds: true}
	case core.MoveBranch:
		return core.BranchMoved(a)
	case core.HoldRef:
		return core.RefKept(a)
	case core.ReadPlan, core.WritePlan, core.Merge, core.Validate, core.WatchPullRequest, core.MergeIntoBase: // of projects
		return nil
	case core.PreparePublish:
		s := r.Stage(a.Stage)
		return core.PublishPrepared{Task: a.Task, Passed: true, Subject: core.Subject{
			Stage: s.ID, Round: s.Round, Delivery: r.Head, Commit: r.Head, Remote: r.Remote, Ref: "refs/heads/" + r.Branch, Base: r.Base,
		}}
	case core.Publish:
		return core.PublishConcluded{Task: a.Task, OK: true, URL: "local/1", Number: 1}
	case core.Sweep:
		return core.RunSwept{}
	case core.Notify:
		return core.PersonNotified(a)
	}
	panic(fmt.Sprintf("bench: no conclusion for %T", action))
}

func exited(r *core.Run, attempt string) core.AttemptExited {
	_, task, _ := r.Attempt(attempt)
	d := &core.Delivery{Ref: "refs/attempts/" + attempt}
	for _, name := range task.Outputs {
		d.Artifacts = append(d.Artifacts, core.Artifact{Name: name, Digest: fmt.Sprintf("%064x", r.Stream.Seq), Size: 2048})
	}
	if task.Writes == core.WritesCode {
		d.Commit, d.Tree = commit(r.Stream.Seq+1), commit(r.Stream.Seq)
	}
	return core.AttemptExited{
		Attempt: attempt, Kind: core.ExitFinished, Observed: true, Delivery: d, // without a transcript: none was collected
		Summary: "The list has a search field; its tests pass.", Usage: core.Usage{CostUSD: 0.12, InputTokens: 1200, OutputTokens: 340, Turns: 7},
	}
}
