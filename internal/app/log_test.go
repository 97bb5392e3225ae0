package app

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/logging"
	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

type deafJournal struct{ err error }

func (j deafJournal) Append(context.Context, *core.Run, []core.Event, core.Bodies) error {
	return j.err
}
func (deafJournal) Seq(context.Context, *core.Run) (int64, error) { return 0, nil }

func TestEventsAreLoggedOnceTheyAreDurable(t *testing.T) {
	var out strings.Builder
	a := &App{log: logging.New(&out, logging.JSON, slog.LevelInfo, redact.New(redact.Options{}))}
	run := &core.Run{ID: "r-1", Alias: "brisk-otter", Project: "p", Status: core.StatusActive}
	events := []core.Event{{Seq: 7, Type: core.TypeRunPaused, Actor: core.Engine(), Body: json.RawMessage(`{"reason":"private words"}`)}}
	lost := errors.New("no space")
	if err := (&watchedJournal{deafJournal{lost}, a.logEvents}).Append(t.Context(), run, events, core.Bodies{}); !errors.Is(err, lost) || out.Len() > 0 {
		t.Errorf("%v, and the log says %s", err, &out)
	}
	if err := (&watchedJournal{deafJournal{}, a.logEvents}).Append(t.Context(), run, events, core.Bodies{}); err != nil {
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
