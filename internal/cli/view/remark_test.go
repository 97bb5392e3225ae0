package view_test

import (
	"encoding/json"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// What begins is what is reported on later: the checks of the publishing task itself,
// which the engine names.
func TestRemarkOnChecksOfEverything(t *testing.T) {
	d := api.RunDetail{Stages: []api.Stage{
		{ID: "build", Tasks: []api.Task{{ID: "build.r1", Checks: []string{"changed: **", "command: make"}}}},
		{ID: "publish", Tasks: []api.Task{{ID: "publish.r1", Act: "pull-request", Checks: []string{"git: 1 commit", "command: make"}}}},
	}}
	e := core.Event{Type: core.TypeVerifyRequested, V: 1, Body: json.RawMessage(`{"task": "publish.r1", "fresh": true}`)}
	if got, want := (view.View{}).Remark(e, d), "2 checks: git: 1 commit; command: make"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
