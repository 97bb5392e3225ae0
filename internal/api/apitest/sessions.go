package apitest

import (
	"context"
	"sync"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Sessions is what a scripted engine answers to the hooks of interactive
// sessions. Every call is recorded with the session in the place of the run.
type Sessions struct {
	mu         sync.Mutex
	turns      []api.Turn
	Leased     api.Leased
	Assignment api.Assignment
}

// Turns says what the session is told: one turn after the other, the last one
// from then on.
func (s *Sessions) Turns(turns ...api.Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turns = turns
}

func (s *Sessions) next() api.Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.turns) == 0 {
		return api.Turn{}
	}
	turn := s.turns[0]
	if len(s.turns) > 1 {
		s.turns = s.turns[1:]
	}
	return turn
}

// Turn answers with the next turn.
func (s *Service) Turn(ctx context.Context, session string, req api.TurnQuery) (api.Turn, error) {
	if err := s.word(ctx, "turn", session, req); err != nil {
		return api.Turn{}, err
	}
	return s.Sessions.next(), nil
}

// Lease answers with Leased, and fails with CodeConflict where there is none.
func (s *Service) Lease(ctx context.Context, session string, req api.Lease) (api.Leased, error) {
	if err := s.word(ctx, "lease", session, req); err != nil {
		return api.Leased{}, err
	}
	if s.Sessions.Leased.Dir == "" {
		return api.Leased{}, core.Errorf(core.CodeConflict, "nothing is offered to session %s", session)
	}
	return s.Sessions.Leased, nil
}

// Take answers with Assignment, and fails with CodeConflict where there is none.
func (s *Service) Take(ctx context.Context, session string, req api.Take) (api.Assignment, error) {
	if err := s.word(ctx, "take", session, req); err != nil {
		return api.Assignment{}, err
	}
	if s.Sessions.Assignment.Attempt == "" {
		return api.Assignment{}, core.Errorf(core.CodeConflict, "nothing is offered to %s", req.Type)
	}
	return s.Sessions.Assignment, nil
}

// HandIn only notes that it was asked.
func (s *Service) HandIn(ctx context.Context, session string, req api.HandIn) error {
	return s.word(ctx, "handin", session, req)
}

// Say answers with the next turn.
func (s *Service) Say(ctx context.Context, session string, req api.Say) (api.Turn, error) {
	if err := s.word(ctx, "say", session, req); err != nil {
		return api.Turn{}, err
	}
	turn := s.Sessions.next()
	turn.Heard = core.MeaningOf(req.Text)
	return turn, nil
}

// Begin answers with the next turn.
func (s *Service) Begin(ctx context.Context, session string, req api.Begin) (api.Turn, error) {
	if err := s.word(ctx, "begin", session, req); err != nil {
		return api.Turn{}, err
	}
	return s.Sessions.next(), nil
}

// End only notes that it was asked.
func (s *Service) End(ctx context.Context, session string) error {
	return s.word(ctx, "end", session, nil)
}
