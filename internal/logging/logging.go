// Package logging is how an engine's log is written: its format, its level, and no secrets in it.
package logging

import (
	"fmt"
	"io"
	"log/slog"
	"slices"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// How a log is written.
const (
	Text = "text"
	JSON = "json"
)

// Check says what is wrong with how a log is asked for, and reads its level.
func Check(format, level string) (slog.Level, error) {
	if format != "" && !slices.Contains([]string{Text, JSON}, format) {
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

// New makes a logger that writes a line for each thing that happened, without secrets. Every line has time, level and msg; what
// else it says has the same key everywhere. Without an out it writes nothing.
func New(out io.Writer, format string, level slog.Level, redactor *redact.Redactor) *slog.Logger {
	if out == nil {
		return slog.New(slog.DiscardHandler)
	}
	handler := &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr { return clean(redactor, a) }}
	if format == JSON {
		return slog.New(slog.NewJSONHandler(out, handler))
	}
	return slog.New(slog.NewTextHandler(out, handler))
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
