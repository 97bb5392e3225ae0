package apitest

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Shelf is what a scripted engine has to read about playbooks, roles and itself.
type Shelf struct {
	Playbooks []api.PlaybookSource
	Roles     []api.RoleEntry
	Verdict   api.PlaybookVerdict
	Health    []api.Examined
	Engines   api.EngineList
	Drained   api.Drained
}

// Playbooks lists those of Shelf.
func (s *Service) Playbooks(context.Context, api.LibraryQuery) ([]api.PlaybookEntry, error) {
	var list []api.PlaybookEntry
	for _, p := range s.Shelf.Playbooks {
		list = append(list, p.PlaybookEntry)
	}
	return list, nil
}

// Playbook is one of Shelf.
func (s *Service) Playbook(_ context.Context, name string, _ api.LibraryQuery) (api.PlaybookSource, error) {
	for _, p := range s.Shelf.Playbooks {
		if p.Name == name {
			return p, nil
		}
	}
	return api.PlaybookSource{}, core.Errorf(core.CodeNotFound, "there is no playbook %q", name)
}

// CheckPlaybook answers with Shelf.Verdict.
func (s *Service) CheckPlaybook(ctx context.Context, req api.CheckPlaybook) (api.PlaybookVerdict, error) {
	return s.Shelf.Verdict, s.word(ctx, "check-playbook", "", req)
}

// Roles lists those of Shelf.
func (s *Service) Roles(context.Context, api.LibraryQuery) ([]api.RoleEntry, error) {
	return s.Shelf.Roles, nil
}

// Engines answers with Shelf.Engines.
func (s *Service) Engines(context.Context) (api.EngineList, error) { return s.Shelf.Engines, nil }

// Drain answers with Shelf.Drained.
func (s *Service) Drain(ctx context.Context, req api.Drain) (api.Drained, error) {
	return s.Shelf.Drained, s.word(ctx, "drain", "", req)
}

// Examine answers with Shelf.Health.
func (s *Service) Examine(context.Context) ([]api.Examined, error) { return s.Shelf.Health, nil }
