package app

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/engine"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// How a log is written.
const (
	LogText = "text"
	LogJSON = "json"
)

// CheckLog says what is wrong with how a log is asked for, and reads its level.
func CheckLog(format, level string) (slog.Level, error) {
	if format != "" && !slices.Contains([]string{LogText, LogJSON}, format) {
		return 0, core.Errorf(core.CodeInvalid, "a log is not written as %q", format).WithHint("--log-format text or json")
	}
	switch level {
	case "debug":
		return slog.LevelDebug, nil
	case "", "info":
		return slog.LevelInfo, nil
	case "warn":
		return slog.LevelWarn, nil
	case "error":
		return slog.LevelError, nil
	}
	return 0, core.Errorf(core.CodeInvalid, "%q is no level of a log", level).WithHint("--log-level debug, info, warn or error")
}

// newLogger writes a line for each thing that happened, without secrets. Every
// line has time, level and msg; what else it says has the same key everywhere.
func newLogger(opts Options, redactor *redact.Redactor) *slog.Logger {
	if opts.Log == nil {
		return slog.New(slog.DiscardHandler)
	}
	level := opts.LogLevel
	if opts.Verbose {
		level = slog.LevelDebug
	}
	handler := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr { return clean(redactor, a) }}
	if opts.LogFormat == LogJSON {
		return slog.New(slog.NewJSONHandler(opts.Log, handler))
	}
	return slog.New(slog.NewTextHandler(opts.Log, handler))
}

// clean takes secrets out of a value. What is no number, time or truth becomes
// text, so that a key has one type whoever writes it.
func clean(redactor *redact.Redactor, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindBool, slog.KindInt64, slog.KindUint64, slog.KindFloat64, slog.KindTime:
		return a
	case slog.KindAny:
		if _, level := a.Value.Any().(slog.Level); level {
			return a
		}
		a.Value = slog.StringValue(redactor.String(fmt.Sprint(a.Value.Any())))
	default:
		a.Value = slog.StringValue(redactor.String(a.Value.String()))
	}
	return a
}

// watchedJournal tells saw of events once they are durable and in the run's folder.
type watchedJournal struct {
	engine.Journal
	saw func(*core.Run, []core.Event)
}

// Append implements engine.Journal.
func (j *watchedJournal) Append(ctx context.Context, run *core.Run, events []core.Event) error {
	err := j.Journal.Append(ctx, run, events)
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
