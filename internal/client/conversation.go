package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// Speak implements [api.Conversation].
func (c *Client) Speak(ctx context.Context, req api.Speak) (api.Spoken, error) {
	return call[api.Spoken](ctx, c, http.MethodPost, endpoint("conversation"), nil, req)
}

// Answer implements [api.Conversation].
func (c *Client) Answer(ctx context.Context, question string, req api.Answer) (api.Spoken, error) {
	switch question {
	case "", ".", "..":
		return api.Spoken{}, core.Errorf(core.CodeNotFound, "there is no question %q", question)
	}
	return call[api.Spoken](ctx, c, http.MethodPost, endpoint("questions", question, "answer"), nil, req)
}

// Messages implements [api.Conversation].
func (c *Client) Messages(ctx context.Context, q api.MessageQuery) ([]api.Message, error) {
	query := url.Values{}
	for key, value := range map[string]string{"project": q.Project, "dir": q.Dir, "after": q.After, "conversation": q.Conversation} {
		if value != "" {
			query.Set(key, value)
		}
	}
	if q.Last {
		query.Set("last", "true")
	}
	if q.Limit > 0 {
		query.Set("limit", strconv.Itoa(q.Limit))
	}
	list, err := call[api.MessageList](ctx, c, http.MethodGet, endpoint("conversation"), query, nil)
	return list.Messages, err
}

// Questions implements [api.Conversation].
func (c *Client) Questions(ctx context.Context) ([]api.Question, error) {
	list, err := call[api.QuestionList](ctx, c, http.MethodGet, endpoint("questions"), nil, nil)
	return list.Questions, err
}

// Conversations implements [api.Conversation].
func (c *Client) Conversations(ctx context.Context, q api.ConversationQuery) ([]api.ConversationView, error) {
	query := url.Values{}
	for key, value := range map[string]string{"project": q.Project, "dir": q.Dir} {
		if value != "" {
			query.Set(key, value)
		}
	}
	list, err := call[api.ConversationList](ctx, c, http.MethodGet, endpoint("conversations"), query, nil)
	return list.Conversations, err
}

// OpenConversation implements [api.Conversation].
func (c *Client) OpenConversation(ctx context.Context, req api.OpenConversation) (api.ConversationView, error) {
	return call[api.ConversationView](ctx, c, http.MethodPost, endpoint("conversations"), nil, req)
}

// NameConversation implements [api.Conversation].
func (c *Client) NameConversation(ctx context.Context, req api.NameConversation) (api.ConversationView, error) {
	return call[api.ConversationView](ctx, c, http.MethodPost, endpoint("conversations", "name"), nil, req)
}
