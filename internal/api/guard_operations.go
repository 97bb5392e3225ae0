package api

import "context"

func (g *guard) TestNotices(ctx context.Context) ([]NoticeTest, error) {
	return permit(ctx, RoleAdmin, "send a test to people", func() ([]NoticeTest, error) { return g.svc.TestNotices(ctx) })
}

func (g *guard) Prune(ctx context.Context, req Prune) (Pruned, error) {
	return permit(ctx, RoleAdmin, "prune the state folder", func() (Pruned, error) { return g.svc.Prune(ctx, req) })
}
