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
		if ok {
			rows = append(rows, store.MessageRow{Project: r.Project, Run: r.ID, Seq: e.Seq, Event: e.ID, Said: said, At: e.At})
		}
	}
	return rows, nil
}
