package core_test

import (
	"testing"

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
