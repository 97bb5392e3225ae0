package apitest

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
)

// Books are what a scripted engine has spent.
type Books struct {
	Days     []api.DaySpending
	Attempts []api.AttemptSpending
}

// Spending answers with Books.Days.
func (s *Service) Spending(context.Context, api.SpendingQuery) ([]api.DaySpending, error) {
	return s.Books.Days, nil
}

// RunSpending answers with Books.Attempts.
func (s *Service) RunSpending(_ context.Context, id string) ([]api.AttemptSpending, error) {
	_, err := s.find(id)
	return s.Books.Attempts, err
}
