package cockpit_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// What a person types at a terminal can be read off the page: the number of each
// phase, and which issue the run is for.
func TestPhasesAreNumberedAndTheIssueNamed(t *testing.T) {
	d := atReview(core.ReviewChangesRequested, core.Finding{File: "lib.sh", Issue: "is added twice"})
	d.Title, d.Issue = "Add it", "https://forge.example/o/r/issues/42"
	for i, number := range []string{"0", "1", "2", "3"} {
		d.Stages[i].Number = number
	}
	d.Stages[0].Status, d.Stages[1].Status = core.StageDone, core.StageDone
	h := serve(t, waiting(d), api.RoleApprover)
	for address, wants := range map[string][]string{
		"/runs/r1":         {">1 Implement</option>", "3 Publish", `<a href="https://forge.example/o/r/issues/42" rel="noreferrer">#42</a>`, "go back to <strong>1 Implement</strong>"},
		"/runs/r1/changes": {">1 Implement</option>"},
		"/inbox":           {">1 Implement</option>", "#42 Add it"},
		"/runs":            {"#42 Add it"},
	} {
		_, body := get(t, h, address)
		for _, want := range wants {
			if !strings.Contains(body, want) {
				t.Errorf("%s does not say %q", address, want)
			}
		}
	}
}
