package sqlite

import (
	"context"
	"database/sql"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/query"
)

// Messages reads the conversation of a project, the oldest first.
func (s *Store) Messages(ctx context.Context, f store.MessageFilter) ([]store.MessageRow, error) {
	if f.Last {
		rows, err := s.read.LastMessages(ctx, query.LastMessagesParams{ProjectID: f.Project, Limit: sqlLimit(f.Limit)})
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
	return s.messageRows(s.read.Messages(ctx, from))
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
	if err != nil {
		return nil, s.explain(err)
	}
	list := make([]store.MessageRow, len(rows))
	for i, m := range rows {
		list[i] = store.MessageRow{
			Project: m.ProjectID, Run: m.RunID, Seq: m.Seq, Event: m.Event, At: fromMicros(m.At),
			Said: core.Said{
				Kind: core.SaidKind(m.Kind), Voice: core.Voice(m.Voice), By: m.Who, Text: m.Text,
				Question: m.QuestionID, Default: m.DefaultText,
			},
		}
		if due := fromOptional(m.DueAt); due != nil {
			list[i].Due = *due
		}
	}
	return list, nil
}

func messageParams(m *store.MessageRow) query.PutMessageParams {
	p := query.PutMessageParams{
		RunID: m.Run, Seq: m.Seq, Event: m.Event, ProjectID: m.Project, Kind: string(m.Kind), Voice: string(m.Voice), Who: m.By,
		Text: m.Text, QuestionID: m.Question, DefaultText: m.Default, At: micros(m.At),
	}
	if !m.Due.IsZero() {
		p.DueAt = optionalMicros(&m.Due)
	}
	return p
}
