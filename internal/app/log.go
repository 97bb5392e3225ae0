package app

import (
	"context"
	"log/slog"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
)

// watchedJournal tells saw of events once they are durable and in the run's folder.
type watchedJournal struct {
	engine.Journal
	saw func(*core.Run, []core.Event)
}

// Append implements engine.Journal.
func (j *watchedJournal) Append(ctx context.Context, run *core.Run, events []core.Event, bodies core.Bodies) error {
	err := j.Journal.Append(ctx, run, events, bodies)
	if err == nil {
		j.saw(run, events)
	}
	return err
}

// logEvents logs events of a run: who, what and where, and none of the words in
// them.
func (a *App) logEvents(run *core.Run, events []core.Event) {
	for _, e := range events {
		a.log.LogAttrs(context.Background(), slog.LevelInfo, "event",
			slog.String("event", string(e.Type)), slog.String("run", run.Alias), slog.String("run_id", run.ID),
			slog.Int64("seq", e.Seq), slog.String("project", run.Project), slog.String("by", string(e.Actor.Kind)),
			slog.String("status", string(run.Status)))
	}
}
