package dispatch

import (
	"context"
	"errors"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/config"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/plain"
	"github.com/stellwerk-dev/stellwerk/internal/yard"
)

// publish pushes exactly the approved commit to exactly the approved ref, if
// that is still where the approval says, and opens the pull request. Both find
// what an earlier try did. A remote that moved voids the approval; nothing is
// pushed then.
func (d *Dispatcher) publish(ctx context.Context, run *core.Run, a core.Publish) error {
	task := run.Task(a.Task)
	if task == nil || task.Publishing == nil {
		return nil
	}
	subject := task.Publishing.Subject
	body := core.PublishConcluded{Task: a.Task}
	y, err := d.Yards.Yard(ctx, run.Project)
	if err != nil {
		return err
	}
	if unnamed, err := d.unnamedLeak(ctx, run, task, y); err != nil || unnamed != "" {
		if err := undecided(ctx, err); err != nil {
			return err
		}
		if err != nil {
			body.Reason = d.trouble(run, err)
		} else {
			body.Lapsed, body.Reason = true, unnamed
		}
		return d.report(ctx, run, body)
	}
	err = d.persist(ctx, run, func() error {
		if err := d.mine(ctx, run.Project); err != nil {
			return err
		}
		return y.Push(ctx, yard.PushSpec{Remote: subject.Remote, Ref: subject.Ref, Commit: subject.Commit, ExpectedOld: subject.OldTip})
	})
	if err == nil {
		err = d.persist(ctx, run, func() error {
			f, err := d.Forges.Forge(run)
			if err == nil {
				err = d.mine(ctx, run.Project)
			}
			if err == nil {
				body.URL, body.Number, err = d.open(ctx, run, f, task.Publishing, y)
			}
			return err
		})
	}
	if err := undecided(ctx, err); err != nil {
		return err
	}
	if errors.Is(err, errReleased) {
		return err
	}
	var lease *yard.LeaseError
	switch {
	case errors.As(err, &lease):
		body.Lapsed, body.Reason = true, "the remote moved since the approval: "+lease.Error()
	case err != nil:
		body.Reason = d.trouble(run, err)
	default:
		body.OK = true
	}
	body.URL = d.address(run, body.URL)
	return d.report(ctx, run, body)
}

// address is the link to a pull request that its forge gave: a file if the record is on this
// machine, and otherwise only a web address.
func (d *Dispatcher) address(run *core.Run, given string) string {
	if run.Forge == config.ForgeLocal && strings.HasPrefix(given, "file:///") {
		return plain.Line(given, maxAddress)
	}
	return d.link(run, given)
}

func (d *Dispatcher) open(ctx context.Context, run *core.Run, f forge.Forge, req *core.PublishRequested, y *yard.Yard) (string, int, error) {
	plan, err := d.followedPlan(ctx, run)
	if err != nil {
		return "", 0, err
	}
	return f.Open(ctx, forge.PullRequest{
		Run: run.ID, Project: run.Project, Title: req.Title, Body: description(run, plan),
		Remote: req.Subject.Remote, Head: run.Branch, Base: req.Subject.Base, Commit: req.Subject.Commit,
		Diff: func(ctx context.Context) (string, error) {
			var b strings.Builder
			_, err := y.Diff(ctx, &b, run.BaseCommit, req.Subject.Commit, yard.DiffOptions{MaxBytes: 4 << 20})
			return d.harmless(run, b.String()), err
		},
	})
}
