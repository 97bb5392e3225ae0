package dispatch

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// TestDescriptionOfWaves lists every delegation, and keeps an agent's words to a line.
func TestDescriptionOfWaves(t *testing.T) {
	run := &core.Run{
		Goal: "Sign in with a link", Attempts: 3, Unpriced: 3,
		Playbook: &core.Playbook{Kind: "waves", Project: &core.Management{
			Done: core.Check{Kind: core.CheckAll, Of: []core.Check{{Kind: core.CheckCommand, Run: "make test"}}}, Waves: &core.WaveRules{Writes: core.WritesCode},
		}},
		Waves: &core.Waves{Ends: []core.WaveEnd{{Wave: 0, Reason: "borders first"}, {Wave: 1}}, Works: []*core.Delegated{
			{Brief: core.Brief{ID: "design", Agent: "architect", Task: "Draw the borders.\n# Not a heading"}, Wave: 1, Status: core.DelegationDone, Answer: &core.WorkerOutput{Compact: "Two borders.\n@all"}},
			{Brief: core.Brief{ID: "page", Agent: "builder", Task: "Build it."}, Wave: 1, Status: core.DelegationPartial},
			{Brief: core.Brief{ID: "mail", Agent: "builder", Task: "Send the link.", Replaces: []string{"page"}}, Wave: 2, Status: core.DelegationDone},
			{Brief: core.Brief{ID: "sms", Agent: "builder", Task: "Send it by SMS."}, Wave: 2, Status: core.DelegationDropped, Reason: "nobody\nwants it"},
		}},
		SentBack: []core.SentBack{{By: core.Person("ada"), From: core.PlannerStage, To: core.PlannerStage, Text: "too wide"}, {By: core.Person("ada"), From: "mail", To: "mail"}},
	}
	want := `Sign in with a link

## Wave 1

Planned, in the planner's words: ` + "`borders first`" + `

- [x] design (architect): ` + "`Draw the borders.`" + `
  - its worker says ` + "`Two borders. @all`" + `
- [ ] page (builder): ` + "`Build it.`" + `: partial, taken over by mail

## Wave 2

- [x] mail (builder): ` + "`Send the link.`" + `
- [ ] sms (builder): ` + "`Send it by SMS.`" + `: dropped, ` + "`nobody wants it`" + `

Verified on each branch and again on each merge: ` + "`command: make test`" + `

## Sent back

- What the planner decided was refused: ` + "`too wide`" + `
  - not done
- mail, by person ada
  - not done

Cost: unknown, tokens unknown, 3 attempts in all.
`
	if diff := cmp.Diff(want, description(run, nil)); diff != "" {
		t.Error(diff)
	}
}
