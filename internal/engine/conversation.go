package engine

import (
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// messageRows are what a step adds to the conversation of the run's project.
func messageRows(r *core.Run, events []core.Event) ([]store.MessageRow, error) {
	var rows []store.MessageRow
	for _, e := range events {
		said, ok, err := core.SaidIn(e)
		if err != nil {
			return nil, err
		}
		if answer := r.Answered(said.Question); said.Kind == core.SaidAnswer && answer != nil {
			said.Conversation = answer.Question.Conversation // where it was asked
		}
		if ok {
			rows = append(rows, store.MessageRow{Project: r.Project, Run: r.ID, Seq: e.Seq, Event: e.ID, Said: said, At: e.At})
		}
	}
	return rows, nil
}

// conversationRows are the conversations that an event of a project opens or names.
func conversationRows(p *core.Project, body core.Body) []store.ConversationRow {
	var id string
	switch b := body.(type) {
	case core.ConversationOpened:
		id = b.ID
	case core.ConversationNamed:
		id = b.ID
	default:
		return nil
	}
	c := p.Conversation(id)
	return []store.ConversationRow{{ID: c.ID, Project: p.ID, Name: c.Name, CreatedBy: c.By, CreatedAt: c.At}}
}
