package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func pieces() []api.Piece {
	return []api.Piece{
		{ID: "survey", Title: "What is there already", Role: "researcher", Wave: 1, Status: "done"},
		{ID: "prices", Title: "What it costs, " + strings.Repeat("in detail, ", 8), Role: "researcher", Wave: 1, Status: "partial", Unmet: []string{"the second year"}},
		{ID: "compare", Title: "Compare both", Role: "examiner", Wave: 2, Status: "open", After: []string{"survey", "prices"}},
		{ID: "interview", Title: "Ask the \x1b[2Joperators", Role: "researcher", Wave: 2, Status: "blocked", Waits: []string{"q-1f2e3d4c"}},
		{ID: "draft", Title: "Write it down", Role: "writer", Wave: 2, Status: "waiting", After: []string{"compare", "interview", "survey"}},
		{ID: "translate", Title: "In \"two\" languages", Role: "writer", Wave: 2, Status: "waiting", After: []string{"draft"}},
		{ID: "summary", Role: "writer", Wave: 2, Status: "failed", After: []string{"compare"}, Reason: "it depends on compare, which was not done"},
		{ID: "poster", Title: "A poster", Role: "writer", Wave: 2, Status: "dropped", Reason: "nobody wants it", Stale: "f3"},
	}
}

func inWaves() api.RunDetail {
	d := detail()
	d.Playbook, d.Stage = "research", "compare"
	d.Stages = []api.Stage{
		{ID: core.PlannerStage, Status: core.StageDone, Round: 2},
		{ID: "compare", Status: core.StageOpen, Round: 1, Title: "Compare both", Tasks: []api.Task{{
			ID: "compare.r1", Role: "examiner", Status: core.TaskRunning, Limit: 3,
			Attempts: []api.Attempt{{ID: "compare.r1.a1", Status: core.AttemptRunning, Agent: "claude", StartedAt: start.Add(11 * time.Minute)}},
		}}},
	}
	d.Waves = &api.Waves{
		N: 2, Most: 10, Open: true, Since: start.Add(10 * time.Minute), Pieces: pieces(), Facts: 3,
		Refused:    []core.BriefRefusal{{ID: "poem", Code: "unknown_agent", Reason: "there is no role \"poet\""}},
		Objections: []string{"question q-9 was answered before"},
		Questions: []api.Question{
			{ID: "q-1f2e3d4c", Asker: "delegation interview", From: "interview", Blocking: true, Text: asked, At: start.Add(9 * time.Minute)},
			{ID: "q-00112233", Asker: "delegation survey", From: "survey", Text: "Loud?", Default: "no", Due: start.Add(time.Hour), At: start.Add(10 * time.Minute)},
			{ID: "q-44556677", Asker: "the planner", Blocking: true, Text: "How much may it cost?", At: start.Add(10 * time.Minute)},
		},
	}
	return d
}

func narrow(t *testing.T, lines []string) {
	t.Helper()
	for _, l := range lines {
		if terminal.Width(l) > 80 {
			t.Errorf("%d columns: %s", terminal.Width(l), l)
		}
	}
}

func TestWaves(t *testing.T) {
	for name, v := range styles() {
		golden(t, "waves-"+name, strings.Join(v.Run(inWaves()), "\n")+"\n")
		golden(t, "waves-live-"+name, strings.Join(v.Live(inWaves(), "Thinking"), "\n")+"\n")
		narrow(t, v.Run(inWaves()))
	}
	d := inWaves()
	d.Waves = &api.Waves{Most: 10, Planning: true}
	d.Stages = []api.Stage{{ID: core.PlannerStage, Status: core.StageOpen, Round: 1}}
	golden(t, "waves-first", strings.Join(plain().Run(d), "\n")+"\n")
}

func TestOutline(t *testing.T) {
	for name, v := range styles() {
		lines := v.Outline(api.Outline{Run: "brisk-otter", Kind: "waves", Wave: 2, Open: true, Pieces: pieces()})
		golden(t, "outline-"+name, strings.Join(lines, "\n")+"\n")
		narrow(t, lines)
	}
}

// TestOutlineOfPlans draws steps that hang together, too deeply and in a circle, and phases.
func TestOutlineOfPlans(t *testing.T) {
	steps := []api.Piece{{ID: "1", Title: "Begin", Status: "done"}}
	for _, id := range []string{"2", "3", "4", "5", "6", "7", "8", "9"} {
		steps = append(steps, api.Piece{ID: id, Title: "Step " + id, Status: "waiting", After: []string{steps[len(steps)-1].ID}})
	}
	steps = append(steps, api.Piece{ID: "a", Status: "waiting", After: []string{"b"}}, api.Piece{ID: "b", Status: "stale", After: []string{"a", "nowhere"}})
	lines := plain().Outline(api.Outline{Run: "brisk-otter", Kind: "rules", Pieces: steps})
	lines = append(lines, plain().Outline(api.Outline{Run: "calm-heron", Kind: "phases", Pieces: []api.Piece{
		{ID: "plan", Title: "Plan", Role: "planner", Status: "done"}, {ID: "implement", Role: "developer", Status: "gated", After: []string{"plan"}},
		{ID: "docs", Status: "skipped", After: []string{"implement"}},
	}})...)
	for _, kind := range []string{"waves", "manager", "phases"} {
		lines = append(lines, plain().Outline(api.Outline{Run: "new-lark", Kind: kind})...)
	}
	golden(t, "outline-plans", strings.Join(lines, "\n")+"\n")
	narrow(t, lines)
}

func TestDot(t *testing.T) {
	golden(t, "outline-dot", strings.Join(view.Dot(api.Outline{Run: "brisk-otter", Kind: "waves", Wave: 2, Pieces: pieces()}), "\n")+"\n")
}

func TestFacts(t *testing.T) {
	facts := []core.Fact{
		{ID: "f1", Key: "db_engine", Content: "PostgreSQL 16", Origin: core.OriginPerson, Source: "q-1f2e3d4c", Confidence: 1, Sources: []string{}, Wave: 1},
		{ID: "f2", Content: "Ten requests a second\x1b[2J, " + strings.Repeat("by the logs of the last month, ", 4), Origin: core.OriginDelegation, Source: "survey",
			Confidence: 0.8, Sources: []string{"d3", "logs/march.txt"}, Wave: 1},
		{ID: "f3", Key: "users", Content: "about a hundred", Origin: core.OriginDelegation, Source: "prices", Confidence: 0.5, Assumption: true, Sources: []string{}, Wave: 1, SupersededBy: new("f10")},
		{ID: "f10", Key: "users", Content: "4,000", Origin: core.OriginPlanner, Confidence: 0.9, Sources: []string{"survey"}, Wave: 2},
		{ID: "f11", Key: "cost", Content: "$20 a month", Origin: core.OriginDelegation, Source: "prices", Confidence: 0.805, Sources: []string{"f3"}, Stale: "f3", Wave: 2},
		{ID: "f12", Content: "no", Origin: core.OriginDefault, Source: "q-00112233", Confidence: 0.5, Assumption: true, Sources: []string{}},
	}
	for name, v := range styles() {
		golden(t, "facts-"+name, strings.Join(v.Facts(facts), "\n")+"\n")
		narrow(t, v.Facts(facts))
	}
}

// A name that is too long for its column does not move the others.
func TestALongNameStandsOut(t *testing.T) {
	v := plain()
	got := v.Outline(api.Outline{Run: "brisk-otter", Kind: "waves", Wave: 1, Pieces: []api.Piece{
		{ID: "survey", Wave: 1, Role: "scout", Title: "Look", Status: "done"},
		{ID: strings.Repeat("compare-", 5), Wave: 1, Role: "scout", Title: "Compare", Status: "done"},
	}})
	want := []string{
		"brisk-otter  2 delegations, wave 1 is over",
		"wave 1",
		"  [x] survey  done       scout: Look",
		"  [x] compare-compare-compare-compare-compare-  done       scout: Compare",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
