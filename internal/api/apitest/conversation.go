package apitest

import (
	"context"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Talk is what a scripted engine knows of conversations.
type Talk struct {
	Project      string // the only one
	SpokenAnswer api.Spoken
	Messages     []api.Message
	Questions    []api.Question
	Talks        []api.ConversationView
}

// Speak answers with Talk.SpokenAnswer.
func (s *Service) Speak(ctx context.Context, req api.Speak) (api.Spoken, error) {
	err := s.word(ctx, "speak", req.Project, req)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Talk.SpokenAnswer, err
}

// Answer answers with Talk.SpokenAnswer.
func (s *Service) Answer(ctx context.Context, question string, req api.Answer) (api.Spoken, error) {
	err := s.word(ctx, "answer", question, req)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Talk.SpokenAnswer, err
}

// Messages answers with Talk.Messages, the last of them where there are more
// than were asked for. Projects are named by ids alone.
func (s *Service) Messages(_ context.Context, q api.MessageQuery) ([]api.Message, error) {
	if q.Project != "" && q.Project != s.Talk.Project {
		return nil, core.Errorf(core.CodeNotFound, "there is no project or run %q", q.Project)
	}
	list := s.Talk.Messages
	if q.Limit > 0 && len(list) > q.Limit {
		list = list[len(list)-q.Limit:]
	}
	return list, nil
}

// Questions answers with Talk.Questions.
func (s *Service) Questions(context.Context) ([]api.Question, error) { return s.Talk.Questions, nil }

// Conversations answers with Talk.Talks.
func (s *Service) Conversations(context.Context, api.ConversationQuery) ([]api.ConversationView, error) {
	return s.Talk.Talks, nil
}

// OpenConversation answers with the conversation that was wanted.
func (s *Service) OpenConversation(ctx context.Context, req api.OpenConversation) (api.ConversationView, error) {
	return api.ConversationView{ID: s.Talk.Project + "-c1", Project: s.Talk.Project, Name: req.Name}, s.word(ctx, "open-conversation", req.Project, req)
}

// NameConversation answers with the conversation as it is called then.
func (s *Service) NameConversation(ctx context.Context, req api.NameConversation) (api.ConversationView, error) {
	return api.ConversationView{ID: req.Conversation, Project: s.Talk.Project, Name: req.Name}, s.word(ctx, "name-conversation", req.Project, req)
}
