package api

import "context"

func (g *guard) TestNotices(ctx context.Context) ([]NoticeTest, error) {
	return permit(ctx, RoleAdmin, "send a test to people", func() ([]NoticeTest, error) { return g.svc.TestNotices(ctx) })
}
