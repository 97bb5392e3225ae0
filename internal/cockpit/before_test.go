package cockpit_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// What failed before anybody had worked is said on the run's page, with its output.
func TestWhatWasRedBeforeIsSaid(t *testing.T) {
	d := atReview(core.ReviewApproved)
	h := serve(t, waiting(d), api.RoleViewer)
	if _, body := get(t, h, "/runs/r1"); strings.Contains(body, "Before it began") {
		t.Error("there is nothing to say, and it is said")
	}
	d.Preflight = &core.Preflight{
		Checks: []core.BaseCheck{{Check: "command: go test " + evil, Detail: "one test fails " + evil}, {Check: "command: go vet", Passed: true}},
		Tools:  []core.ToolVersion{{Name: "node", Outside: "v22", Inside: "v18"}},
	}
	_, body := get(t, serve(t, waiting(d), api.RoleViewer), "/runs/r1")
	for _, want := range []string{"Before it began", "red before we began: command: go test", "one test fails", "node is v22 in your shell, and v18 inside"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(body, "<script>alert") || strings.Contains(body, "go vet") {
		t.Error("the page holds what it should not")
	}
}
