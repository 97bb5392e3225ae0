package dispatch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/steering"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// preparePublish verifies the head again, without memory, and looks up exactly
// what publishing would change: the approval is bound to it.
func (d *Dispatcher) preparePublish(ctx context.Context, run *core.Run, a core.PreparePublish) error {
	body := core.PublishPrepared{Task: a.Task}
	if err := d.prepared(ctx, run, a, &body); err != nil {
		if err := undecided(ctx, err); err != nil {
			return err
		}
		body.Error = d.trouble(run, err)
	}
	return d.conclude(ctx, run, body, a.Event, a.Task)
}

func (d *Dispatcher) prepared(ctx context.Context, run *core.Run, a core.PreparePublish, body *core.PublishPrepared) error {
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	if run.Head == run.BaseCommit {
		return fmt.Errorf("there is nothing to publish: %s has no commits on top of %s", run.Branch, run.Base)
	}
	tree, err := y.Tree(ctx, run.Head)
	if err != nil {
		return err
	}
	stage := run.Stage(a.Stage)
	head := &core.Delivery{Commit: run.Head, Tree: tree}
	body.Passed, body.Results, err = d.evaluate(ctx, run, evaluation{
		event: a.Event, name: a.Task, check: GateCheck(run, a.Stage), base: run.BaseCommit, head: run.Head,
		writes: core.WritesCode, delivery: head,
	})
	if err != nil {
		return err
	}
	ref := "refs/heads/" + run.Branch
	old, err := d.remoteTip(ctx, run, y, ref)
	if err != nil {
		return err
	}
	if err := ownTip(ctx, run, y, old); err != nil {
		return err
	}
	body.Subject = core.Subject{
		Stage: stage.ID, Round: stage.Round, Delivery: head.Digest(), Commit: run.Head,
		Remote: run.Remote, Ref: ref, OldTip: old, Base: target(run, stage.ID),
	}
	if body.Leaks, err = d.leaks(ctx, run, y, run.Head); err != nil {
		return err
	}
	body.Notices, err = d.publishNotices(ctx, run, y)
	return err
}

// ownTip refuses to overwrite a branch of the run's name that holds somebody
// else's commits: they may be nowhere else.
func ownTip(ctx context.Context, run *core.Run, y *yard.Yard, tip string) error {
	if tip == "" {
		return nil
	}
	known, err := y.Exists(ctx, tip)
	if err != nil {
		return err
	}
	if known {
		if contained, err := y.IsAncestor(ctx, tip, run.Head); err != nil || contained {
			return err
		}
		handedIn, err := y.Refs(ctx, yard.Attempts+run.ID+"/")
		if err != nil {
			return err
		}
		if slices.ContainsFunc(handedIn, func(r yard.Ref) bool { return r.Commit == tip }) {
			return nil // an earlier round of this run, which the yard keeps
		}
	}
	return fmt.Errorf("the branch %s of the repository holds commits that are not this run's (%.12s); rename or delete it", run.Branch, tip)
}

// Target is the branch that a run's pull request goes to.
func Target(run *core.Run) string { return target(run, core.PublishStage) }

// target is the branch a pull request goes to.
func target(run *core.Run, stage string) string {
	if run.Target != "" {
		return run.Target
	}
	if phase := run.Playbook.Phase(stage); phase != nil && phase.Base != "" {
		return phase.Base
	}
	if run.Managed() && run.Playbook.Project.Base != "" {
		return run.Playbook.Project.Base
	}
	return run.Base
}

// GateCheck is what must hold before anything is published: every command that
// an earlier phase was checked with, and the publishing phase's own checks.
func GateCheck(run *core.Run, stage string) core.Check {
	all := core.Check{Kind: core.CheckAll, Of: []core.Check{{Kind: core.CheckGit, Git: &core.GitCheck{Commits: 1}}}}
	seen := map[string]bool{}
	for _, p := range run.Playbook.Phases {
		if s := run.Stage(p.ID); s == nil || s.Status != core.StageDone {
			continue
		}
		for c, either := range p.Done.Commands() {
			if !either && !seen[c.Run] {
				seen[c.Run] = true
				all.Of = append(all.Of, c)
			}
		}
	}
	if run.Managed() {
		for c, either := range run.Playbook.Project.Done.Commands() {
			if !either {
				all.Of = append(all.Of, c)
			}
		}
	}
	phase := run.Playbook.Phase(stage)
	if phase != nil && (len(phase.Done.Of) > 0 || phase.Done.Kind != core.CheckAll && phase.Done.Kind != "") {
		all.Of = append(all.Of, phase.Done)
	}
	return all
}

// touches begins the notice of a change that a person is told of before they approve.
const touches = "touches "

// steering is what counts as steering for a run: what is known, what the person adds, and what the repository adds at the
// commit that the run started from.
func (d *Dispatcher) steering(ctx context.Context, run *core.Run, y *yard.Yard) (steering.Files, error) {
	if d.Steering == nil {
		return steering.Files{}, nil
	}
	settings, err := y.ReadFile(ctx, run.BaseCommit, config.ProjectFile, maxSettings)
	if err != nil && !errors.Is(err, yard.ErrNotFound) {
		return steering.Files{}, err
	}
	added, err := d.Steering(settings)
	return steering.Files{Added: added}, err
}

// maxSettings bounds a repository's settings.
const maxSettings = 1 << 20

func (d *Dispatcher) publishNotices(ctx context.Context, run *core.Run, y *yard.Yard) ([]string, error) {
	changes, err := y.Changed(ctx, run.BaseCommit, run.Head)
	if err != nil {
		return nil, err
	}
	var notices []string
	if run.ForgeURL != "" {
		notices = append(notices, fmt.Sprintf("opens a pull request in %s at %s", run.Repository, run.ForgeURL))
	}
	if d.Publisher != nil && (run.ForgeURL != "" || !filepath.IsAbs(run.Remote)) {
		notices = append(notices, d.Publisher(run))
	}
	steers, err := d.steering(ctx, run, y)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if steers.Named(c.Path) || steers.Named(c.OldPath) {
			notices = append(notices, touches+c.Path)
		}
	}
	tip, err := d.remoteTip(ctx, run, y, "refs/heads/"+run.Base)
	if err != nil {
		return nil, err
	}
	switch tip {
	case run.BaseCommit:
	case "":
		notices = append(notices, fmt.Sprintf("%s is gone from the repository since the run started", run.Base))
	default:
		notices = append(notices, fmt.Sprintf("%s has moved on since the run started", run.Base))
	}
	behind, err := lagNotices(ctx, run, y)
	return append(notices, behind...), err
}

// lagNotices say that the run does without commits which the person's repository
// knows of: those of the branch that the base follows.
func lagNotices(ctx context.Context, run *core.Run, y *yard.Yard) ([]string, error) {
	if run.Home != "" || !filepath.IsAbs(run.Remote) {
		return nil, nil
	}
	lag, err := y.Lag(ctx, run.Remote, run.Base, run.BaseCommit)
	if err != nil || lag.Lacks == 0 {
		return nil, err
	}
	return []string{fmt.Sprintf("commits of %s that the run did not start from: %d", lag.Follows, lag.Lacks)}, nil
}
