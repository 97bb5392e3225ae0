package api

import "context"

// Playbooks implements Service.
func (g *guard) Playbooks(ctx context.Context, q LibraryQuery) ([]PlaybookEntry, error) {
	return read(ctx, "", func() ([]PlaybookEntry, error) { return g.svc.Playbooks(ctx, q) })
}

// Playbook implements Service.
func (g *guard) Playbook(ctx context.Context, name string, q LibraryQuery) (PlaybookSource, error) {
	return read(ctx, "", func() (PlaybookSource, error) { return g.svc.Playbook(ctx, name, q) })
}

// CheckPlaybook implements Service. It changes nothing, so it is reading.
func (g *guard) CheckPlaybook(ctx context.Context, req CheckPlaybook) (PlaybookVerdict, error) {
	return read(ctx, "", func() (PlaybookVerdict, error) { return g.svc.CheckPlaybook(ctx, req) })
}

// Roles implements Service.
func (g *guard) Roles(ctx context.Context, q LibraryQuery) ([]RoleEntry, error) {
	return read(ctx, "", func() ([]RoleEntry, error) { return g.svc.Roles(ctx, q) })
}

// Examine implements Service.
func (g *guard) Examine(ctx context.Context) ([]Examined, error) {
	return read(ctx, "", func() ([]Examined, error) { return g.svc.Examine(ctx) })
}
