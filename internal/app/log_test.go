package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/forge"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestALogHasOneTypeForEachKeyAndNoSecrets(t *testing.T) {
	const secret = "correct-horse-battery"
	redactor := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "password", Value: secret}}})
	for _, format := range []string{LogText, LogJSON} {
		var out strings.Builder
		log := newLogger(Options{Log: &out, LogFormat: format}, redactor)
		log.Debug("not this")
		log.Error("it failed with "+secret, "error", errors.New("the word was "+secret), "in", 3*time.Second,
			"given", []string{secret}, "run", secret, "count", 4, "token", forge.NewSecret("another-secret"))
		text := out.String()
		if strings.Contains(text, secret) || strings.Contains(text, "another-secret") || strings.Contains(text, "not this") {
			t.Errorf("%s: the log says %s", format, text)
		}
		if strings.Count(text, "\n") != 1 || strings.Count(text, "[redacted:password]") != 4 {
			t.Errorf("%s: the log says %s", format, text)
		}
		if format == LogText {
			continue
		}
		var line map[string]any
		if err := json.Unmarshal([]byte(text), &line); err != nil {
			t.Fatal(err)
		}
		if line["level"] != "ERROR" || line["in"] != "3s" || line["count"] != 4.0 || line["error"] != "the word was [redacted:password]" {
			t.Errorf("the line is %v", line)
		}
	}
}

func TestALogsFormatAndLevel(t *testing.T) {
	if level, err := CheckLog("json", "warn"); err != nil || level != slog.LevelWarn {
		t.Errorf("json, warn: %v, %v", level, err)
	}
	if level, err := CheckLog("", ""); err != nil || level != slog.LevelInfo {
		t.Errorf("nothing said: %v, %v", level, err)
	}
	for _, wrong := range [][2]string{{"xml", ""}, {"", "loud"}, {"JSON", "info"}} {
		if _, err := CheckLog(wrong[0], wrong[1]); core.CodeOf(err) != core.CodeInvalid || wording.Hint(err) == "" {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

type deafJournal struct{ err error }

func (j deafJournal) Append(context.Context, *core.Run, []core.Event) error { return j.err }
func (deafJournal) Seq(context.Context, *core.Run) (int64, error)           { return 0, nil }

func TestEventsAreLoggedOnceTheyAreDurable(t *testing.T) {
	var out strings.Builder
	a := &App{log: newLogger(Options{Log: &out, LogFormat: LogJSON}, redact.New(redact.Options{}))}
	run := &core.Run{ID: "r-1", Alias: "brisk-otter", Project: "p", Status: core.StatusActive}
	events := []core.Event{{Seq: 7, Type: core.TypeRunPaused, Actor: core.Engine(), Body: json.RawMessage(`{"reason":"private words"}`)}}
	lost := errors.New("no space")
	if err := (&watchedJournal{deafJournal{lost}, a.logEvents}).Append(t.Context(), run, events); !errors.Is(err, lost) || out.Len() > 0 {
		t.Errorf("%v, and the log says %s", err, &out)
	}
	if err := (&watchedJournal{deafJournal{}, a.logEvents}).Append(t.Context(), run, events); err != nil {
		t.Fatal(err)
	}
	var line map[string]any
	if err := json.Unmarshal([]byte(out.String()), &line); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]any{
		"msg": "event", "event": "RunPaused", "run": "brisk-otter", "run_id": "r-1", "seq": 7.0, "project": "p", "by": "engine", "status": "active",
	} {
		if line[key] != want {
			t.Errorf("%s is %v, not %v", key, line[key], want)
		}
	}
	if strings.Contains(out.String(), "private words") {
		t.Errorf("the log says %s", &out)
	}
}
