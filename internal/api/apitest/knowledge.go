package apitest

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Known is what a scripted engine knows of a run's work.
type Known struct {
	Outline api.Outline
	Plan    *api.Plan
	Facts   []core.Fact
	// Contradictions is what Conflicts answers with.
	Contradictions []core.Conflict
}

// Outline answers with Known.Outline.
func (s *Service) Outline(_ context.Context, id string) (api.Outline, error) {
	_, err := s.find(id)
	return s.Known.Outline, err
}

// Facts answers with those of Known.Facts that hold, or with all.
func (s *Service) Facts(_ context.Context, id string, history bool) ([]core.Fact, error) {
	if _, err := s.find(id); err != nil {
		return nil, err
	}
	var list []core.Fact
	for _, f := range s.Known.Facts {
		if history || f.SupersededBy == nil {
			list = append(list, f)
		}
	}
	return list, nil
}

// Conflicts answers with Known.Contradictions.
func (s *Service) Conflicts(_ context.Context, id string) ([]core.Conflict, error) {
	_, err := s.find(id)
	return s.Known.Contradictions, err
}
