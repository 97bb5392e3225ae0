package relay

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/hook"
	"github.com/stellwerk-dev/stellwerk/internal/snapshot"
)

func TestAClearedSessionHearsOfTheRunItLeft(t *testing.T) {
	d := newForeign(t)
	if err := snapshot.Write(d.State, snapshot.Snapshot{Session: "before", Run: "r1", Alias: "brisk-otter", Root: "/project"}); err != nil {
		t.Fatal(err)
	}
	if a := d.answer(hook.EventSessionStart, map[string]any{"source": "clear"}); !strings.Contains(a.Message, "/stellwerk:resume brisk-otter") {
		t.Errorf("after /clear: %+v", a)
	}
	for name, fields := range map[string]map[string]any{
		"another start": {"source": "startup"}, "another project": {"source": "clear", "cwd": "/project2"},
	} {
		if a := d.answer(hook.EventSessionStart, fields); a.Message != "" {
			t.Errorf("%s: %+v", name, a)
		}
	}
}
