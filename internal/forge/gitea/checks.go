package gitea

import (
	"context"

	api "code.gitea.io/sdk/gitea"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/forge/rest"
)

// stateSkipped is newer than the SDK.
const stateSkipped api.StatusState = "skipped"

// checks sums up the statuses of the head, the newest of each context. It does
// not use the API's combined status, which covers the first page only.
func (l *look) checks(ctx context.Context) error {
	before := len(l.Seen.Unread)
	statuses, err := rest.List(ctx, l.Look, "commit statuses", paged(func(o api.ListOptions) ([]*api.Status, *api.Response, error) {
		return l.api.ListStatuses(l.Owner, l.Name, l.Seen.Head, api.ListStatusesOption{ListOptions: o})
	}))
	if err != nil {
		return l.Unread("commit statuses", err)
	}
	newest := map[string]*api.Status{}
	for _, s := range statuses {
		if n := newest[s.Context]; n == nil || n.ID < s.ID {
			newest[s.Context] = s
		}
	}
	var all []forge.CI
	var link *api.Status
	for _, s := range newest {
		switch s.State {
		case api.StatusSuccess, stateSkipped:
			all = append(all, forge.CIPassed)
			if rest.IsPreview(s.Context, s.TargetURL) && (link == nil || link.ID < s.ID) {
				link = s
			}
		case api.StatusPending:
			all = append(all, forge.CIPending)
		default:
			all = append(all, forge.CIFailed)
		}
	}
	if link != nil {
		l.Seen.Preview = link.TargetURL
	}
	l.Seen.CI = forge.Combine(all)
	if len(l.Seen.Unread) > before && l.Seen.CI != forge.CIFailed {
		l.Seen.CI = forge.CIUnknown
	}
	return nil
}
