package api

import "context"

// Spending implements Service.
func (g *guard) Spending(ctx context.Context, q SpendingQuery) ([]DaySpending, error) {
	return read(ctx, "", func() ([]DaySpending, error) { return g.svc.Spending(ctx, q) })
}

// RunSpending implements Service.
func (g *guard) RunSpending(ctx context.Context, id string) ([]AttemptSpending, error) {
	return read(ctx, "", func() ([]AttemptSpending, error) { return g.svc.RunSpending(ctx, id) })
}
