package service

import (
	"context"
	"strings"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/find"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// Conversations implements api.Conversation.
func (a *Service) Conversations(ctx context.Context, q api.ConversationQuery) ([]api.ConversationView, error) {
	p, err := a.conversing(ctx, q.Project, q.Dir)
	if err != nil {
		return nil, err
	}
	rows, err := a.store.Conversations(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	list := make([]api.ConversationView, len(rows))
	for i, row := range rows {
		list[i] = viewConversation(p, row)
	}
	return list, nil
}

func viewConversation(p *core.Project, row store.ConversationRow) api.ConversationView {
	return api.ConversationView{
		ID: row.ID, Project: p.Name, Name: row.Name, First: row.ID == p.ID, CreatedBy: row.CreatedBy, CreatedAt: row.CreatedAt,
		Messages: row.Messages, LastAt: row.LastAt,
	}
}

// conversing finds the project whose conversations somebody means.
func (a *Service) conversing(ctx context.Context, name, dir string) (*core.Project, error) {
	id, _, err := a.find.ProjectOf(ctx, name, dir)
	if err != nil {
		return nil, err
	}
	p, err := a.engine.Project(ctx, id)
	if err == nil && p == nil {
		err = core.Errorf(core.CodeNotFound, "the repository is no project yet").WithHint("the first run makes it one, or add it").Offer(core.Choice{Verb: core.VerbAddProject})
	}
	return p, err
}

// OpenConversation implements api.Conversation.
func (a *Service) OpenConversation(ctx context.Context, req api.OpenConversation) (api.ConversationView, error) {
	p, err := a.conversing(ctx, req.Project, req.Dir)
	if err != nil {
		return api.ConversationView{}, err
	}
	var id string
	p, err = a.engine.Tell(ctx, p.ID, api.CallerFrom(ctx).Actor, func(p *core.Project) (core.Body, error) {
		id = core.ConversationID(p.ID, len(p.Conversations)+1)
		return core.ConversationOpened{ID: id, Name: a.redactor.String(strings.TrimSpace(req.Name))}, nil
	})
	if err != nil {
		return api.ConversationView{}, err
	}
	return a.conversation(ctx, p, id)
}

// NameConversation implements api.Conversation.
func (a *Service) NameConversation(ctx context.Context, req api.NameConversation) (api.ConversationView, error) {
	p, err := a.conversing(ctx, req.Project, req.Dir)
	if err != nil {
		return api.ConversationView{}, err
	}
	c := p.Conversation(req.Conversation)
	switch {
	case p.IsMain(req.Conversation):
		return api.ConversationView{}, core.Errorf(core.CodeInvalid, "the conversation that every project has keeps its name, %s", core.MainConversation)
	case c == nil:
		return api.ConversationView{}, find.NoConversation(p, req.Conversation)
	}
	body := core.ConversationNamed{ID: c.ID, Name: a.redactor.String(strings.TrimSpace(req.Name))}
	if p, err = a.engine.Tell(ctx, p.ID, api.CallerFrom(ctx).Actor, func(*core.Project) (core.Body, error) { return body, nil }); err != nil {
		return api.ConversationView{}, err
	}
	return a.conversation(ctx, p, body.ID)
}

// conversation is one as it is listed.
func (a *Service) conversation(ctx context.Context, p *core.Project, id string) (api.ConversationView, error) {
	rows, err := a.store.Conversations(ctx, p.ID)
	if err != nil {
		return api.ConversationView{}, err
	}
	for _, row := range rows {
		if row.ID == id {
			return viewConversation(p, row), nil
		}
	}
	return api.ConversationView{}, find.NoConversation(p, id)
}
