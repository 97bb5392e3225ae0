package pack_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// queued is a project whose run 0100 waited in the queue while run 0200 began and ended. Both moved the same branch.
type queued struct {
	*history
	of map[string][]core.Event
}

func (q queued) Runs(context.Context, store.Filter) ([]store.RunRow, error) {
	return []store.RunRow{{ID: "0100", StartedAt: fixed.Add(time.Hour)}, {ID: "0200", StartedAt: fixed}}, nil
}

func (q queued) Events(_ context.Context, stream string, after int64, _ int) ([]core.Event, error) {
	events := q.of[strings.TrimPrefix(stream, core.RunStream(""))]
	return events[min(int(after), len(events)):], nil
}

// TestRunsAreReadAsTheyBegan: not as their ids were given, which a run that was queued had before.
func TestRunsAreReadAsTheyBegan(t *testing.T) {
	h := newHistory(t)
	first := h.git(h.person, "rev-parse HEAD")
	h.write("a.txt", "new\n")
	second := h.commit("second")
	q := queued{h, map[string][]core.Event{}}
	const branch = "refs/heads/feature/x"
	for run, body := range map[string]core.BranchMoved{"0200": {Ref: branch, New: first}, "0100": {Ref: branch, Old: first, New: second}} {
		h.events = nil
		h.say(core.RunStarted{Run: run, BaseCommit: second, BaseAt: h.person})
		h.say(body)
		q.of[run] = h.events
	}
	code := h.code()
	code.Store = q
	y := h.open("again.git")
	for what, bring := range map[string]func() error{
		"restored": func() error { return code.Restore(t.Context(), y, "p1") },
		"followed": func() error { return code.Follow(t.Context(), y, "p1", []string{"0100", "0200"}) },
	} {
		if err := bring(); err != nil {
			t.Fatal(err)
		}
		if at, err := y.Resolve(t.Context(), branch); err != nil || at != second {
			t.Errorf("%s: the branch is at %s, %v, not at %s", what, at, err, second)
		}
	}
}
