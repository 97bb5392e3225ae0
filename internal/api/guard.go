package api

import (
	"context"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Guard is svc for callers with roles: the one place that says what each role
// may do. It refuses with CodeForbidden and otherwise changes nothing; whatever
// else speaks against a word is for svc to say. Attempts and callers who are not
// known are refused everything, reading included.
func Guard(svc Service) Service { return &guard{svc} }

// guard has a method of its own for each of Service's, and embeds nothing: one
// that is added to Service does not compile until somebody has said here who may
// call it.
type guard struct{ svc Service }

var _ Service = (*guard)(nil)

// may refuses who has less than a role.
func may(ctx context.Context, least Role, what string) error {
	c := CallerFrom(ctx)
	if c.May(least) {
		return nil
	}
	switch c.Actor.Kind {
	case core.ActorPerson, core.ActorSession:
	default:
		return core.Errorf(core.CodeForbidden, "to %s is for people with a role, and this is none of them", what)
	}
	if least == RoleOwner {
		return core.Errorf(core.CodeForbidden, "to %s is for the engine's own machine, and not for the network", what)
	}
	return core.Errorf(core.CodeForbidden, "to %s takes the role %s, and %.80s has the role %s", what, least, c.Actor.ID, c.Role).
		WithHint("ask an admin for it: stellwerk tokens add NAME --role %s", least)
}

// permit calls call where the caller has at least a role.
func permit[T any](ctx context.Context, least Role, what string, call func() (T, error)) (T, error) {
	if err := may(ctx, least, what); err != nil {
		var none T
		return none, err
	}
	return call()
}

// The words of refusals that several methods share.
const (
	toRead   = "read"
	toSteer  = "steer a run"
	toFolder = "name a folder of the engine's machine"
)

// read permits reading. What begins with a folder of the engine's machine takes
// an admin: whoever may name folders learns what is in them.
func read[T any](ctx context.Context, folder string, call func() (T, error)) (T, error) {
	if folder != "" {
		return permit(ctx, RoleAdmin, toFolder, call)
	}
	return permit(ctx, RoleViewer, toRead, call)
}

// steer permits what an approver may say.
func steer[T any](ctx context.Context, call func() (T, error)) (T, error) {
	return permit(ctx, RoleApprover, toSteer, call)
}

// folderIn is the folder that a request for a project names. Without a name the
// project is that of a folder, even if it is the engine's own.
func folderIn(project, dir string) string {
	if project == "" || strings.ContainsRune(project, '/') || strings.HasPrefix(project, ".") {
		return "the project's"
	}
	return dir
}

// mayStart says what of a start is an approver's: a goal for a project that is
// there, as its settings have it. What reaches further is an admin's.
func mayStart(ctx context.Context, req StartRun) error {
	if err := may(ctx, RoleApprover, "start a run"); err != nil {
		return err
	}
	for _, c := range []struct {
		asked bool
		what  string
	}{
		{folderIn(req.Project, req.Dir) != "", toFolder},
		{strings.ContainsAny(req.Playbook, `/.\`), "name a playbook by its path"},
		{req.Trust, "trust a repository"},
		{req.Limits != nil, "set limits"},
		{req.Isolation != "", "choose the isolation"},
		{req.Network != "", "choose what agents can reach"},
		{req.Agent != "", "choose another agent"},
		{req.Forge != "" || req.Remote != "" || req.Repository != "", "choose where a run is published"},
		{req.Session != "", "give a run to a session"},
	} {
		if !c.asked {
			continue
		}
		if err := may(ctx, RoleAdmin, c.what); err != nil {
			return err
		}
	}
	return nil
}
