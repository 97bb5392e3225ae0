package api

import (
	"context"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Guard is svc for callers with roles, as the table of routes gives them. It
// refuses with CodeForbidden and otherwise changes nothing; whatever else speaks
// against a word is for svc to say. Attempts and callers who are not known are
// refused everything, reading included.
func Guard(svc Service) Service {
	return NewProxy(func(ctx context.Context, r Route, in, out any) error {
		if err := r.allow(ctx, svc, in); err != nil {
			return err
		}
		return r.call(ctx, svc, in, out)
	})
}

func (r Route) allow(ctx context.Context, svc Service, in any) error {
	if err := may(ctx, r.Role, r.to); err != nil || r.further == nil {
		return err
	}
	return r.further(ctx, svc, in)
}

// may refuses who has less than a role.
func may(ctx context.Context, least Role, what string) error {
	c := CallerFrom(ctx)
	if c.May(least) {
		return nil
	}
	switch c.Actor.Kind {
	case core.ActorPerson, core.ActorSession:
	default:
		return core.Errorf(core.CodeForbidden, "only people with a role can %s", what)
	}
	if least == RoleOwner {
		return core.Errorf(core.CodeForbidden, "you can %s only on the engine's own machine, not over the network", what)
	}
	return core.Errorf(core.CodeForbidden, "you need the role %s to %s; %.80s has the role %s", least, what, c.Actor.ID, c.Role).
		WithHint("ask an admin for a token with it").Offer(core.Choice{Verb: core.VerbAddToken})
}

// foldered is a request that can name a folder of the engine's machine.
type foldered interface{ folder() string }

// mayName lets only an admin name a folder: whoever may name folders learns what
// is in them.
func mayName(ctx context.Context, in foldered) error {
	if in.folder() == "" {
		return nil
	}
	return may(ctx, RoleAdmin, "name a folder of the engine's machine")
}

func inFolder[Q foldered](ctx context.Context, _ Service, q *Q) error { return mayName(ctx, *q) }

func sentInFolder[T foldered](ctx context.Context, _ Service, in *sent[T]) error {
	return mayName(ctx, in.Body)
}

func (q RunQuery) folder() string           { return q.Dir }
func (q ProjectQuery) folder() string       { return q.Dir }
func (q LimitsQuery) folder() string        { return q.Dir }
func (q MessageQuery) folder() string       { return folderOf(q.Project, q.Dir) }
func (q ConversationQuery) folder() string  { return folderOf(q.Project, q.Dir) }
func (req OpenConversation) folder() string { return folderOf(req.Project, req.Dir) }
func (req NameConversation) folder() string { return folderOf(req.Project, req.Dir) }
func (req StartRun) folder() string         { return folderOf(req.Project, req.Dir) }

// folderOf is the folder that a request for a project names. Without a name the
// project is that of a folder, even if it is the engine's own.
func folderOf(project, dir string) string {
	if project == "" || strings.ContainsRune(project, '/') || strings.HasPrefix(project, ".") {
		return "the project's"
	}
	return dir
}

// startsFurther leaves to an approver a goal for a project that is there, as its
// settings have it. What reaches further is an admin's.
func startsFurther(ctx context.Context, _ Service, in *sent[StartRun]) error {
	return mayStart(ctx, in.Body)
}

func mayStart(ctx context.Context, req StartRun) error {
	if err := mayName(ctx, req); err != nil {
		return err
	}
	for _, c := range []struct {
		asked bool
		what  string
	}{
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

// speaksFurther treats words as the start that they may become.
func speaksFurther(ctx context.Context, _ Service, in *sent[Speak]) error {
	start := StartRun{}
	if in.Body.Start != nil {
		start = *in.Body.Start
	}
	start.Project, start.Dir = in.Body.Project, in.Body.Dir
	return mayStart(ctx, start)
}

func retriesFurther(ctx context.Context, _ Service, in *toRun[Retry]) error {
	if in.Body == (Retry{}) {
		return nil
	}
	return may(ctx, RoleAdmin, "raise a limit")
}

func resumesFurther(ctx context.Context, _ Service, in *toRun[Resume]) error {
	switch req := in.Body; {
	case req.Session != nil && *req.Session != "":
		return may(ctx, RoleAdmin, "give a run to a session")
	case req != (Resume{Session: req.Session}):
		return may(ctx, RoleAdmin, "raise a limit")
	}
	return nil
}

func resumesArchived(ctx context.Context, svc Service, in *toProject[ResumeProject]) error {
	d, err := svc.Project(ctx, in.Project)
	if err == nil && d.Archived {
		err = may(ctx, RoleAdmin, "take a project out of the archive")
	}
	return err
}
