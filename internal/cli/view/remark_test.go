package view_test

import (
	"encoding/json"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestRemarkOnChecksOfEverything: before something is published, the commands of all
// stages are run once more, and are named.
func TestRemarkOnChecksOfEverything(t *testing.T) {
	d := api.RunDetail{Stages: []api.Stage{
		{ID: "build", Tasks: []api.Task{{ID: "build.r1", Checks: []string{"changed: **", "command: make", "command: make test"}}}},
		{ID: "docs", Tasks: []api.Task{{ID: "docs.r1", Checks: []string{"command: make", "artifact: docs.md"}}}},
		{ID: "publish", Tasks: []api.Task{{ID: "publish.r1", Act: "pull-request"}}},
	}}
	e := core.Event{Type: core.TypeVerifyRequested, V: 1, Body: json.RawMessage(`{"task": "publish.r1", "fresh": true}`)}
	if got, want := (view.View{}).Remark(e, d), "2 checks: command: make; command: make test"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
