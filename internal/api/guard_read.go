package api

import (
	"context"
	"io"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// What a viewer may call.

func (g *guard) Runs(ctx context.Context, q RunQuery) ([]Run, error) {
	return read(ctx, q.Dir, func() ([]Run, error) { return g.svc.Runs(ctx, q) })
}

func (g *guard) Run(ctx context.Context, id string) (RunDetail, error) {
	return read(ctx, "", func() (RunDetail, error) { return g.svc.Run(ctx, id) })
}

func (g *guard) Events(ctx context.Context, id string, after int64, limit int) ([]core.Event, error) {
	return read(ctx, "", func() ([]core.Event, error) { return g.svc.Events(ctx, id, after, limit) })
}

func (g *guard) Follow(ctx context.Context, id string, after int64, fn func(core.Event) error) error {
	if err := may(ctx, RoleViewer, toRead); err != nil {
		return err
	}
	return g.svc.Follow(ctx, id, after, fn)
}

func (g *guard) Output(ctx context.Context, id, attempt string, after int64) (Output, error) {
	return read(ctx, "", func() (Output, error) { return g.svc.Output(ctx, id, attempt, after) })
}

func (g *guard) Effects(ctx context.Context, id string, q EffectQuery) (Effects, error) {
	return read(ctx, "", func() (Effects, error) { return g.svc.Effects(ctx, id, q) })
}

func (g *guard) Diff(ctx context.Context, id string, q DiffQuery, w io.Writer) error {
	if err := may(ctx, RoleViewer, toRead); err != nil {
		return err
	}
	return g.svc.Diff(ctx, id, q, w)
}

func (g *guard) Artifact(ctx context.Context, id, name string, w io.Writer) error {
	if err := may(ctx, RoleViewer, toRead); err != nil {
		return err
	}
	return g.svc.Artifact(ctx, id, name, w)
}

func (g *guard) Inbox(ctx context.Context) ([]Waiting, error) {
	return read(ctx, "", func() ([]Waiting, error) { return g.svc.Inbox(ctx) })
}

func (g *guard) Limits(ctx context.Context, q LimitsQuery) ([]Account, error) {
	return read(ctx, q.Dir, func() ([]Account, error) { return g.svc.Limits(ctx, q) })
}

func (g *guard) Replay(ctx context.Context, id string) (Replay, error) {
	return read(ctx, "", func() (Replay, error) { return g.svc.Replay(ctx, id) })
}

func (g *guard) Info(ctx context.Context) (Info, error) {
	return read(ctx, "", func() (Info, error) { return g.svc.Info(ctx) })
}

func (g *guard) Outline(ctx context.Context, id string) (Outline, error) {
	return read(ctx, "", func() (Outline, error) { return g.svc.Outline(ctx, id) })
}

func (g *guard) Facts(ctx context.Context, id string, history bool) ([]core.Fact, error) {
	return read(ctx, "", func() ([]core.Fact, error) { return g.svc.Facts(ctx, id, history) })
}

func (g *guard) Conflicts(ctx context.Context, id string) ([]core.Conflict, error) {
	return read(ctx, "", func() ([]core.Conflict, error) { return g.svc.Conflicts(ctx, id) })
}

func (g *guard) Messages(ctx context.Context, q MessageQuery) ([]Message, error) {
	return read(ctx, folderIn(q.Project, q.Dir), func() ([]Message, error) { return g.svc.Messages(ctx, q) })
}

func (g *guard) Conversations(ctx context.Context, q ConversationQuery) ([]ConversationView, error) {
	return read(ctx, folderIn(q.Project, q.Dir), func() ([]ConversationView, error) { return g.svc.Conversations(ctx, q) })
}

func (g *guard) Questions(ctx context.Context) ([]Question, error) {
	return read(ctx, "", func() ([]Question, error) { return g.svc.Questions(ctx) })
}

func (g *guard) Projects(ctx context.Context, q ProjectQuery) ([]Project, error) {
	return read(ctx, q.Dir, func() ([]Project, error) { return g.svc.Projects(ctx, q) })
}

func (g *guard) Project(ctx context.Context, id string) (ProjectDetail, error) {
	return read(ctx, "", func() (ProjectDetail, error) { return g.svc.Project(ctx, id) })
}

func (g *guard) Plan(ctx context.Context, run string) (Plan, error) {
	return read(ctx, "", func() (Plan, error) { return g.svc.Plan(ctx, run) })
}

func (g *guard) Detail(ctx context.Context, run string, req FetchDetail) (FetchedDetail, error) {
	return read(ctx, "", func() (FetchedDetail, error) { return g.svc.Detail(ctx, run, req) })
}

func (g *guard) Details(ctx context.Context, run string) (DetailIndex, error) {
	return read(ctx, "", func() (DetailIndex, error) { return g.svc.Details(ctx, run) })
}
