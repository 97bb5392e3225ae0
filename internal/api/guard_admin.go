package api

import "context"

// What an admin may call, and what only the engine's own machine may.

func (g *guard) AddProject(ctx context.Context, req AddProject) (ProjectDetail, error) {
	return permit(ctx, RoleAdmin, "add a project", func() (ProjectDetail, error) { return g.svc.AddProject(ctx, req) })
}

func (g *guard) ArchiveProject(ctx context.Context, id string, req ArchiveProject) (ProjectDetail, error) {
	return permit(ctx, RoleAdmin, "archive a project", func() (ProjectDetail, error) { return g.svc.ArchiveProject(ctx, id, req) })
}

func (g *guard) Swap(ctx context.Context, id string, req Swap) (Run, error) {
	return permit(ctx, RoleAdmin, "choose another playbook for a project", func() (Run, error) { return g.svc.Swap(ctx, id, req) })
}

func (g *guard) Trust(ctx context.Context, req Trust) (Trusted, error) {
	return permit(ctx, RoleAdmin, "trust a repository", func() (Trusted, error) { return g.svc.Trust(ctx, req) })
}

func (g *guard) Import(ctx context.Context, req Import) (Imported, error) {
	return permit(ctx, RoleAdmin, "import a run", func() (Imported, error) { return g.svc.Import(ctx, req) })
}

func (g *guard) Backup(ctx context.Context, path string) error {
	if err := may(ctx, RoleAdmin, "make a backup"); err != nil {
		return err
	}
	return g.svc.Backup(ctx, path)
}

// toHook is what the hooks of a session do: they are started on the machine that
// the session's files are on.
const toHook = "speak for an interactive session"

func (g *guard) Turn(ctx context.Context, session string, req TurnQuery) (Turn, error) {
	return permit(ctx, RoleOwner, toHook, func() (Turn, error) { return g.svc.Turn(ctx, session, req) })
}

func (g *guard) Lease(ctx context.Context, session string, req Lease) (Leased, error) {
	return permit(ctx, RoleOwner, toHook, func() (Leased, error) { return g.svc.Lease(ctx, session, req) })
}

func (g *guard) Take(ctx context.Context, session string, req Take) (Assignment, error) {
	return permit(ctx, RoleOwner, toHook, func() (Assignment, error) { return g.svc.Take(ctx, session, req) })
}

func (g *guard) HandIn(ctx context.Context, session string, req HandIn) error {
	if err := may(ctx, RoleOwner, toHook); err != nil {
		return err
	}
	return g.svc.HandIn(ctx, session, req)
}

func (g *guard) Say(ctx context.Context, session string, req Say) (Turn, error) {
	return permit(ctx, RoleOwner, toHook, func() (Turn, error) { return g.svc.Say(ctx, session, req) })
}

func (g *guard) Begin(ctx context.Context, session string, req Begin) (Turn, error) {
	return permit(ctx, RoleOwner, toHook, func() (Turn, error) { return g.svc.Begin(ctx, session, req) })
}

func (g *guard) End(ctx context.Context, session string) error {
	if err := may(ctx, RoleOwner, toHook); err != nil {
		return err
	}
	return g.svc.End(ctx, session)
}

const toLetIn = "decide who may come in"

func (g *guard) Tokens(ctx context.Context) ([]Token, error) {
	return permit(ctx, RoleAdmin, toLetIn, func() ([]Token, error) { return g.svc.Tokens(ctx) })
}

func (g *guard) AddToken(ctx context.Context, req AddToken) (NewToken, error) {
	return permit(ctx, RoleAdmin, toLetIn, func() (NewToken, error) { return g.svc.AddToken(ctx, req) })
}

func (g *guard) RevokeToken(ctx context.Context, id string, req RevokeToken) (Token, error) {
	return permit(ctx, RoleAdmin, toLetIn, func() (Token, error) { return g.svc.RevokeToken(ctx, id, req) })
}

// SignIn is for everybody: whoever signs in is the same person with the same role.
func (g *guard) SignIn(ctx context.Context, req SignIn) (SignInCode, error) {
	return permit(ctx, RoleViewer, "sign in", func() (SignInCode, error) { return g.svc.SignIn(ctx, req) })
}
