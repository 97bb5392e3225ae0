package service

import (
	"cmp"
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

// unreadable reports that the history of a run cannot be read: it is damaged, or
// of a newer version. A list shows what it knows of such a run, and the others.
func unreadable(ctx context.Context, err error) bool {
	return err != nil && ctx.Err() == nil && core.CodeOf(err) != core.CodeUnavailable
}

// working is the state of a run in which this engine works. An error that is
// unreadable says why it leaves the run, or all of its project, to others.
func (a *Service) working(ctx context.Context, row store.RunRow) (*core.Run, error) {
	run, err := a.engine.Load(ctx, row.ID)
	if err == nil {
		err = a.engine.Left(row.Project)
	}
	return run, err
}

// viewUnreadable is what is known of a run whose history cannot be read.
func viewUnreadable(row store.RunRow, err error) api.Run {
	v := viewRow(row)
	v.Status, v.Reason = api.StatusUnreadable, wording.Unreadable(err)
	v.Next = cmp.Or(wording.Hint(err), wording.Advice("", core.Advice{
		Hint: "a backup has it as it was", Choices: []core.Choice{{Verb: core.VerbRestore}},
	}))
	return v
}

// waitsUnread is what such a run asks of a person.
func waitsUnread(row store.RunRow, err error) []api.Waiting {
	v := viewUnreadable(row, err)
	return []api.Waiting{{Kind: api.WaitUnreadable, Since: row.UpdatedAt, Reason: v.Reason, Next: v.Next, Run: v}}
}

func viewRow(r store.RunRow) api.Run {
	return api.Run{
		ID: r.ID, Alias: r.Alias, Project: r.Project, Title: r.Title, Issue: r.Issue, Status: r.Status, Reason: r.Reason,
		Stage: r.Stage, Attempts: r.Attempts, Cost: core.CostOf(r.CostUSD, r.Unpriced), Tokens: r.Tokens, Branch: r.Branch, Base: r.Base,
		URL: r.URL, Isolation: r.Isolation, StartedAt: r.StartedAt, UpdatedAt: r.UpdatedAt, EndedAt: r.EndedAt,
	}
}
