package core_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestRolesGrantTools: a list says something of Stellwerk's own tools only where it names one.
func TestRolesGrantTools(t *testing.T) {
	for _, tool := range core.Tools() {
		for _, c := range []struct {
			list []string
			want bool
		}{
			{nil, true}, {[]string{"Read", "Bash"}, true}, {[]string{"Bash", tool.Command()}, true},
			{[]string{"Bash", "send-message"}, tool == core.ToolMessage}, {[]string{"Bash", "update-plan"}, tool == core.ToolPlan},
		} {
			if got := (core.Role{Tools: c.list}).Grants(tool); got != c.want {
				t.Errorf("%v and %s: %v", c.list, tool, got)
			}
		}
	}
}

// TestTheCommandsOfTools: each has a program of its own, on which roles rely by name.
func TestTheCommandsOfTools(t *testing.T) {
	want := map[core.Tool]string{
		core.ToolDelegate: "delegate-to-red", core.ToolMessage: "send-message", core.ToolPlan: "update-plan",
		core.ToolQuestion: "request-clarification", core.ToolDetail: "fetch-detail",
	}
	got := map[core.Tool]string{}
	for _, tool := range core.Tools() {
		got[tool] = tool.Command()
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := core.Tool("other").Command(); got != "other" {
		t.Errorf("another tool is called by %q", got)
	}
}

func TestTheLawOfListedTools(t *testing.T) {
	speaker := core.Actor{Kind: core.ActorAgent, ID: "api.r1.t2.a1"}
	message := core.MessageSent{Voice: core.VoiceRed, Text: "x"}
	for _, c := range []struct {
		list []string
		says string
	}{
		{nil, ""}, {[]string{"Bash"}, ""}, {[]string{"Bash", "send-message"}, ""},
		{[]string{"Bash", "update-plan"}, "the role poet does not list the tool send-message"},
	} {
		r := managed()
		r.Playbook.Roles = map[string]core.Role{"poet": {Name: "poet", Tools: c.list}}
		api := r.Stage("api")
		api.Tasks = append(api.Tasks, &core.Task{
			ID: "api.r1.t2", Stage: "api", Role: "poet", Status: core.TaskRunning, Attempts: []*core.Attempt{{ID: speaker.ID, Status: core.AttemptRunning}},
		})
		err := core.Law(r, speaker, message)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.list, err)
		}
	}
}
