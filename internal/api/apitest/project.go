package apitest

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Projects answers with ProjectList, without the archived ones unless asked for
// all, and with those of the repository at q.Dir where it names one.
func (s *Service) Projects(_ context.Context, q api.ProjectQuery) ([]api.Project, error) {
	var list []api.Project
	for _, p := range s.ProjectList {
		if (q.All || !p.Archived) && (q.Dir == "" || p.Repository == "" || p.Repository == q.Dir) {
			list = append(list, p)
		}
	}
	return list, nil
}

// Project answers with ProjectAnswer.
func (s *Service) Project(context.Context, string) (api.ProjectDetail, error) {
	return s.ProjectAnswer, nil
}

// AddProject answers with ProjectAnswer.
func (s *Service) AddProject(ctx context.Context, req api.AddProject) (api.ProjectDetail, error) {
	return s.ProjectAnswer, s.word(ctx, "add-project", "", req)
}

// PauseProject answers with ProjectAnswer.
func (s *Service) PauseProject(ctx context.Context, id string, req api.PauseProject) (api.ProjectDetail, error) {
	return s.ProjectAnswer, s.word(ctx, "pause-project", id, req)
}

// ResumeProject answers with ProjectAnswer.
func (s *Service) ResumeProject(ctx context.Context, id string, req api.ResumeProject) (api.ProjectDetail, error) {
	return s.ProjectAnswer, s.word(ctx, "resume-project", id, req)
}

// ArchiveProject answers with ProjectAnswer.
func (s *Service) ArchiveProject(ctx context.Context, id string, req api.ArchiveProject) (api.ProjectDetail, error) {
	return s.ProjectAnswer, s.word(ctx, "archive-project", id, req)
}

// EraseProject answers with what a project's name says.
func (s *Service) EraseProject(ctx context.Context, id string, req api.EraseProject) (api.ErasedProject, error) {
	return api.ErasedProject{Project: s.ProjectAnswer.ID, Name: req.Name, Runs: 2, Events: 30}, s.word(ctx, "erase-project", id, req)
}

// DropEpic answers with ProjectAnswer.
func (s *Service) DropEpic(ctx context.Context, id string, req api.DropEpic) (api.ProjectDetail, error) {
	return s.ProjectAnswer, s.word(ctx, "drop-epic", id, req)
}

// RequeueEpic answers with ProjectAnswer.
func (s *Service) RequeueEpic(ctx context.Context, id string, req api.RequeueEpic) (api.ProjectDetail, error) {
	return s.ProjectAnswer, s.word(ctx, "requeue-epic", id, req)
}
