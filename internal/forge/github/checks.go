package github

import (
	"cmp"
	"context"
	"slices"

	api "github.com/google/go-github/v88/github"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

// deployments bounds how many deployments of a commit are asked for a link.
const deployments = 3

// checks sums up what GitHub keeps in two places: statuses, which other programs
// post, and check runs, which Actions and apps make. A check that cannot be read
// could have failed, so then only a failure is reported.
func (l look) checks(ctx context.Context) error {
	before := len(l.Seen.Unread)
	found, err := l.statuses(ctx)
	if err := l.Unread("commit statuses", err); err != nil {
		return err
	}
	runs, err := l.runs(ctx)
	if err := l.Unread("checks", err); err != nil {
		return err
	}
	l.Seen.CI = forge.Combine(slices.Concat(found, runs))
	if len(l.Seen.Unread) > before && l.Seen.CI != forge.CIFailed {
		l.Seen.CI = forge.CIUnknown
	}
	return nil
}

func (l look) statuses(ctx context.Context) ([]forge.CI, error) {
	found, err := rest.List(ctx, l.Look, "commit statuses", paged(func(o api.ListOptions) ([]*api.RepoStatus, *api.Response, error) {
		// The combined state would be "pending" even without a single status.
		combined, resp, err := l.api.Repositories.GetCombinedStatus(ctx, l.Owner, l.Name, l.Seen.Head, &o)
		if err != nil {
			return nil, resp, err
		}
		return combined.Statuses, resp, nil
	}))
	var all []forge.CI
	for _, s := range found {
		switch s.GetState() {
		case "success":
			all = append(all, forge.CIPassed)
			if l.Seen.Preview == "" && rest.IsPreview(s.GetContext(), s.GetTargetURL()) {
				l.Seen.Preview = s.GetTargetURL()
			}
		case "pending":
			all = append(all, forge.CIPending)
		default:
			all = append(all, forge.CIFailed)
		}
	}
	return all, err
}

func (l look) runs(ctx context.Context) ([]forge.CI, error) {
	found, err := rest.List(ctx, l.Look, "checks", paged(func(o api.ListOptions) ([]*api.CheckRun, *api.Response, error) {
		runs, resp, err := l.api.Checks.ListCheckRunsForRef(ctx, l.Owner, l.Name, l.Seen.Head, &api.ListCheckRunsOptions{ListOptions: o})
		if err != nil {
			return nil, resp, err
		}
		return runs.CheckRuns, resp, nil
	}))
	var all []forge.CI
	for _, r := range found {
		switch conclusion := r.GetConclusion(); {
		case r.GetStatus() != "completed":
			all = append(all, forge.CIPending)
		case conclusion == "success" || conclusion == "neutral" || conclusion == "skipped":
			all = append(all, forge.CIPassed)
		default:
			all = append(all, forge.CIFailed)
		}
	}
	return all, err
}

// preview asks the newest deployments of the head for their address. GitHub
// promises no order, neither of deployments nor of their statuses.
func (l look) preview(ctx context.Context) error {
	if l.Seen.State != forge.Open {
		return nil
	}
	made, resp, err := l.api.Repositories.ListDeployments(ctx, l.Owner, l.Name,
		&api.DeploymentsListOptions{SHA: l.Seen.Head, ListOptions: api.ListOptions{PerPage: pageSize}})
	if err != nil {
		return l.Unread("deployments", l.Failed(ctx, "the deployments of ", answer(resp), err))
	}
	slices.SortFunc(made, func(a, b *api.Deployment) int { return cmp.Compare(b.GetID(), a.GetID()) })
	for _, d := range made[:min(deployments, len(made))] {
		said, resp, err := l.api.Repositories.ListDeploymentStatuses(ctx, l.Owner, l.Name, d.GetID(), &api.ListOptions{PerPage: pageSize})
		if err != nil {
			return l.Unread("deployments", l.Failed(ctx, "the deployments of ", answer(resp), err))
		}
		if len(said) == 0 {
			continue
		}
		last := slices.MaxFunc(said, func(a, b *api.DeploymentStatus) int { return cmp.Compare(a.GetID(), b.GetID()) })
		if last.GetState() == "success" && rest.IsLink(last.GetEnvironmentURL()) {
			l.Seen.Preview = last.GetEnvironmentURL()
			return nil
		}
	}
	return nil
}
