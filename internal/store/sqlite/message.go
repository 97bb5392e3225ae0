package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// Messages reads what was said in a project, the oldest first.
func (s *Store) Messages(ctx context.Context, f store.MessageFilter) ([]store.MessageRow, error) {
	if f.Last {
		rows, err := s.lastMessages(ctx, f)
		slices.Reverse(rows)
		return s.messageRows(rows, err)
	}
	from := query.MessagesParams{ProjectID: f.Project, At: -1, Most: sqlLimit(f.Limit)}
	if f.After != "" {
		m, err := s.read.MessageByEvent(ctx, f.After)
		if err == nil && m.ProjectID != f.Project {
			err = sql.ErrNoRows
		}
		if err != nil {
			return nil, s.missing(err, "message "+f.After)
		}
		from.At, from.RunID, from.Seq = m.At, m.RunID, m.Seq
	}
	if f.Conversation != "" {
		return s.messageRows(s.read.ConversationMessages(ctx, query.ConversationMessagesParams{
			ConversationID: f.Conversation, ProjectID: f.Project, At: from.At, RunID: from.RunID, Seq: from.Seq, Most: from.Most,
		}))
	}
	return s.messageRows(s.read.Messages(ctx, from))
}

func (s *Store) lastMessages(ctx context.Context, f store.MessageFilter) ([]query.Message, error) {
	if f.Conversation != "" {
		return s.read.LastConversationMessages(ctx, query.LastConversationMessagesParams{ConversationID: f.Conversation, ProjectID: f.Project, Most: sqlLimit(f.Limit)})
	}
	return s.read.LastMessages(ctx, query.LastMessagesParams{ProjectID: f.Project, Most: sqlLimit(f.Limit)})
}

// Conversations lists those of a project, the first first.
func (s *Store) Conversations(ctx context.Context, project string) ([]store.ConversationRow, error) {
	rows, err := s.read.Conversations(ctx, project)
	return list(s, rows, err, func(c query.ConversationsRow) store.ConversationRow {
		row := store.ConversationRow{
			ID: c.ID, Project: c.ProjectID, Name: c.Name, CreatedBy: c.CreatedBy, CreatedAt: fromMicros(c.CreatedAt), Messages: int(c.Messages),
		}
		if c.LastAt > 0 {
			row.LastAt = fromMicros(c.LastAt)
		}
		return row
	})
}

// Questions lists what nobody has answered, the oldest first.
func (s *Store) Questions(ctx context.Context) ([]store.MessageRow, error) {
	return s.messageRows(s.read.OpenQuestions(ctx))
}

// About lists the questions whose ids begin with prefix, and their answers.
func (s *Store) About(ctx context.Context, prefix string) ([]store.MessageRow, error) {
	return s.messageRows(s.read.AboutQuestion(ctx, query.AboutQuestionParams{Prefix: prefix, Beyond: prefix + "\U0010ffff"}))
}

func (s *Store) messageRows(rows []query.Message, err error) ([]store.MessageRow, error) {
	return list(s, rows, err, func(m query.Message) store.MessageRow {
		row := store.MessageRow{
			Project: m.ProjectID, Run: m.RunID, Seq: m.Seq, Event: m.Event, At: fromMicros(m.At),
			Said: core.Said{
				Kind: core.SaidKind(m.Kind), Voice: core.Voice(m.Voice), By: m.Who, Text: m.Text,
				Question: m.QuestionID, Default: m.DefaultText,
			},
		}
		if m.ConversationID != m.ProjectID {
			row.Conversation = m.ConversationID
		}
		if due := fromOptional(m.DueAt); due != nil {
			row.Due = *due
		}
		return row
	})
}

func messageParams(m *store.MessageRow) query.PutMessageParams {
	p := query.PutMessageParams{
		RunID: m.Run, Seq: m.Seq, Event: m.Event, ProjectID: m.Project, Kind: string(m.Kind), Voice: string(m.Voice), Who: m.By,
		Text: m.Text, QuestionID: m.Question, DefaultText: m.Default, At: micros(m.At),
		ConversationID: cmp.Or(m.Conversation, m.Project),
	}
	if !m.Due.IsZero() {
		p.DueAt = optionalMicros(&m.Due)
	}
	return p
}
