package logging

import (
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
	for _, format := range []string{Text, JSON} {
		var out strings.Builder
		log := New(&out, format, slog.LevelInfo, redactor)
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
		if format == Text {
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
	if level, err := Check("json", "warn"); err != nil || level != slog.LevelWarn {
		t.Errorf("json, warn: %v, %v", level, err)
	}
	if level, err := Check("", ""); err != nil || level != slog.LevelInfo {
		t.Errorf("nothing said: %v, %v", level, err)
	}
	for _, wrong := range [][2]string{{"xml", ""}, {"", "loud"}, {"JSON", "info"}} {
		if _, err := Check(wrong[0], wrong[1]); core.CodeOf(err) != core.CodeInvalid || wording.Hint(err) == "" {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}
