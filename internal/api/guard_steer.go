package api

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// What an approver may call.

func (g *guard) StartRun(ctx context.Context, req StartRun) (Run, error) {
	if err := mayStart(ctx, req); err != nil {
		return Run{}, err
	}
	return g.svc.StartRun(ctx, req)
}

func (g *guard) Approve(ctx context.Context, id string, req Approve) (Run, error) {
	return steer(ctx, func() (Run, error) { return g.svc.Approve(ctx, id, req) })
}

func (g *guard) Feedback(ctx context.Context, id string, req Feedback) (Run, error) {
	return steer(ctx, func() (Run, error) { return g.svc.Feedback(ctx, id, req) })
}

func (g *guard) Rollback(ctx context.Context, id string, req Rollback) (Run, error) {
	return steer(ctx, func() (Run, error) { return g.svc.Rollback(ctx, id, req) })
}

func (g *guard) Skip(ctx context.Context, id string, req Skip) (Run, error) {
	return steer(ctx, func() (Run, error) { return g.svc.Skip(ctx, id, req) })
}

// Retry takes an admin where it raises a limit.
func (g *guard) Retry(ctx context.Context, id string, req Retry) (Run, error) {
	if req != (Retry{}) {
		return permit(ctx, RoleAdmin, "raise a limit", func() (Run, error) { return g.svc.Retry(ctx, id, req) })
	}
	return steer(ctx, func() (Run, error) { return g.svc.Retry(ctx, id, req) })
}

func (g *guard) Pause(ctx context.Context, id string, req Pause) (Run, error) {
	return steer(ctx, func() (Run, error) { return g.svc.Pause(ctx, id, req) })
}

// Resume takes an admin where it raises a limit or gives the run to a session.
func (g *guard) Resume(ctx context.Context, id string, req Resume) (Run, error) {
	if req.Session != nil && *req.Session != "" {
		return permit(ctx, RoleAdmin, "give a run to a session", func() (Run, error) { return g.svc.Resume(ctx, id, req) })
	}
	if req != (Resume{Session: req.Session}) {
		return permit(ctx, RoleAdmin, "raise a limit", func() (Run, error) { return g.svc.Resume(ctx, id, req) })
	}
	return steer(ctx, func() (Run, error) { return g.svc.Resume(ctx, id, req) })
}

func (g *guard) Merge(ctx context.Context, id string, req Merge) (Run, error) {
	return steer(ctx, func() (Run, error) { return g.svc.Merge(ctx, id, req) })
}

func (g *guard) Cancel(ctx context.Context, id string, req Cancel) (Run, error) {
	return steer(ctx, func() (Run, error) { return g.svc.Cancel(ctx, id, req) })
}

// Speak is a start where it may become one.
func (g *guard) Speak(ctx context.Context, req Speak) (Spoken, error) {
	start := StartRun{}
	if req.Start != nil {
		start = *req.Start
	}
	start.Project, start.Dir = req.Project, req.Dir
	if err := mayStart(ctx, start); err != nil {
		return Spoken{}, err
	}
	return g.svc.Speak(ctx, req)
}

func (g *guard) Answer(ctx context.Context, question string, req Answer) (Spoken, error) {
	return steer(ctx, func() (Spoken, error) { return g.svc.Answer(ctx, question, req) })
}

func (g *guard) OpenConversation(ctx context.Context, req OpenConversation) (ConversationView, error) {
	return read(ctx, folderIn(req.Project, req.Dir), func() (ConversationView, error) {
		return steer(ctx, func() (ConversationView, error) { return g.svc.OpenConversation(ctx, req) })
	})
}

func (g *guard) NameConversation(ctx context.Context, req NameConversation) (ConversationView, error) {
	return read(ctx, folderIn(req.Project, req.Dir), func() (ConversationView, error) {
		return steer(ctx, func() (ConversationView, error) { return g.svc.NameConversation(ctx, req) })
	})
}

func (g *guard) PauseProject(ctx context.Context, id string, req PauseProject) (ProjectDetail, error) {
	return steer(ctx, func() (ProjectDetail, error) { return g.svc.PauseProject(ctx, id, req) })
}

// ResumeProject takes an admin where it takes the project out of the archive.
func (g *guard) ResumeProject(ctx context.Context, id string, req ResumeProject) (ProjectDetail, error) {
	return steer(ctx, func() (ProjectDetail, error) {
		d, err := g.svc.Project(ctx, id)
		if err == nil && d.Archived {
			err = may(ctx, RoleAdmin, "take a project out of the archive")
		}
		if err != nil {
			return ProjectDetail{}, err
		}
		return g.svc.ResumeProject(ctx, id, req)
	})
}

func (g *guard) DropEpic(ctx context.Context, id string, req DropEpic) (ProjectDetail, error) {
	return steer(ctx, func() (ProjectDetail, error) { return g.svc.DropEpic(ctx, id, req) })
}

func (g *guard) RequeueEpic(ctx context.Context, id string, req RequeueEpic) (ProjectDetail, error) {
	return steer(ctx, func() (ProjectDetail, error) { return g.svc.RequeueEpic(ctx, id, req) })
}

func (g *guard) Delegate(ctx context.Context, run string, req core.Proposal) (Delegated, error) {
	return steer(ctx, func() (Delegated, error) { return g.svc.Delegate(ctx, run, req) })
}

func (g *guard) Tell(ctx context.Context, run string, req Tell) (Told, error) {
	return steer(ctx, func() (Told, error) { return g.svc.Tell(ctx, run, req) })
}

func (g *guard) Ask(ctx context.Context, run string, req Ask) (Asked, error) {
	return steer(ctx, func() (Asked, error) { return g.svc.Ask(ctx, run, req) })
}

func (g *guard) UpdatePlan(ctx context.Context, run string, req UpdatePlan) (Plan, error) {
	return steer(ctx, func() (Plan, error) { return g.svc.UpdatePlan(ctx, run, req) })
}
