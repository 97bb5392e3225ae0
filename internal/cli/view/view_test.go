package view_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

// golden compares with testdata; UPDATE_GOLDEN=1 writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (UPDATE_GOLDEN=1 accepts it):\n%s", name, diff)
	}
}

var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func plain() view.View {
	return view.View{Width: 80, Zone: time.UTC, Now: start.Add(12*time.Minute + 5*time.Second)}
}

func styles() map[string]view.View {
	unicode, colour := plain(), plain()
	unicode.Style.Unicode = true
	colour.Style = terminal.Style{Unicode: true, Colour: true}
	return map[string]view.View{"ascii": plain(), "unicode": unicode, "colour": colour}
}

func detail() api.RunDetail {
	return api.RunDetail{
		Run: api.Run{
			ID: "0198c1d2", Alias: "brisk-otter", Title: "Add a search field to the list", Status: "active",
			Stage: "build", Attempts: 4, Cost: core.CostOf(0.423, 1), Tokens: 182_000, Branch: "feature/add-search", Base: "main",
			Isolation: "sandbox", StartedAt: start, UpdatedAt: start, Seq: 31,
		},
		Playbook: "feature",
		Stages: []api.Stage{
			{ID: "plan", Status: "passed", Round: 1, Gate: "approval"},
			{ID: "build", Status: "open", Round: 2, Gate: "auto", Tasks: []api.Task{{
				ID: "build.r2", Role: "developer", Status: "running", Limit: 3, Counted: 1,
				Attempts: []api.Attempt{
					{ID: "build.r2.a1", N: 1, Status: "ended", Agent: "claude", Exit: "finished", Verdict: "failed", Duration: 3*time.Minute + 7*time.Second,
						Results: []core.CheckResult{{Check: "command: hidden, not the newest", Kind: core.CheckCommand}}},
					{ID: "build.r2.a2", N: 2, Status: "running", Agent: "claude", StartedAt: start.Add(11 * time.Minute),
						Results: []core.CheckResult{
							{Check: "changed: internal/**/*.go", Kind: core.CheckChanged, Passed: true},
							{Check: "command: go test ./...", Kind: core.CheckCommand, Detail: strings.Repeat("ok\n", 15) + "--- FAIL: \x1b[31mTestSearch\x1b[0m\n\tgot 0\n"},
						}},
				},
			}}},
			{ID: "docs", Status: "skipped", Round: 1, Gate: "auto"},
			{ID: "review", Status: "stale", Round: 1, Gate: "approval"},
			{ID: "publish", Status: "pending", Gate: "approval"},
		},
	}
}

func gated() api.RunDetail {
	d := detail()
	d.Status, d.Stage, d.Isolation = "awaiting_approval", "review", "none"
	d.Reason = "stage review waits for an approval"
	d.Next = "`stellwerk approve brisk-otter`, or `stellwerk feedback brisk-otter \"…\"`"
	d.Gate = &core.Gate{
		Subject: core.Subject{Stage: "review", Round: 1, Delivery: "4be1a90c77aa", Commit: "deadbeefcafe0123", Remote: "origin",
			Ref: "refs/heads/feature/add-search", Base: "main"},
		Suggestion: "build",
		Findings:   []core.Finding{{File: "list.go", Line: 12, Issue: "ignores\u202e case"}, {Issue: "no test"}},
		Notices:    []string{"unenforced: this run's agents are not isolated"},
	}
	d.Stages[1] = api.Stage{ID: "build", Status: "passed", Round: 2}
	d.Stages[3] = api.Stage{ID: "review", Status: "gated", Round: 1, Gate: "approval"}
	return d
}

// TestAnAttemptThatDidNotStart is told in words, not by the name that programs have for it.
func TestAnAttemptThatDidNotStart(t *testing.T) {
	d := detail()
	d.Stages[1].Tasks[0].Attempts = []api.Attempt{{ID: "build.r2.a1", N: 1, Status: "ended", Agent: "claude", Exit: "no_start"}}
	if text := strings.Join(view.View{Now: start}.Run(d), "\n"); strings.Contains(text, "no_start") || !strings.Contains(text, "did not start") {
		t.Error(text)
	}
}

// TestAttemptAtALimit says which it ran into, once, also where the attempt went on.
func TestAttemptAtALimit(t *testing.T) {
	const breach = "killed at 4.0 GiB of memory, the limit of an attempt"
	for _, message := range []string{"", "exit status 137: " + breach} {
		d := detail()
		d.Stages[1].Tasks[0].Attempts = []api.Attempt{{ID: "build.r2.a1", N: 1, Status: "ended", Agent: "claude", Exit: "finished", Message: message,
			Resources: &core.Consumption{PeakMemory: 4 << 30, Held: "memory: watched", Breach: breach}}}
		text := strings.Join(view.View{Now: start}.Run(d), "\n")
		if strings.Count(text, breach) != 1 || !strings.Contains(text, "took 4.0 GiB of memory") || !strings.Contains(text, "(memory: watched)") {
			t.Errorf("with the message %q: %s", message, text)
		}
	}
}

func TestRuns(t *testing.T) {
	ended := start.Add(time.Hour)
	runs := []api.Run{
		gated().Run, detail().Run,
		{Alias: "calm-fox", Title: "A title that is much too long for a line of eighty columns, so it is cut", Status: "completed", StartedAt: start, EndedAt: &ended},
		{Alias: "odd-\x1b[2Jcrow", Title: "x", Status: "paused", Stage: "plan", Next: "`stellwerk resume odd-crow`", StartedAt: start},
		{Alias: "red-hen", Title: "y", Status: "failed", StartedAt: start, EndedAt: &ended},
	}
	for name, v := range styles() {
		golden(t, "runs-"+name, strings.Join(v.Runs(runs), "\n")+"\n")
	}
}

func TestProject(t *testing.T) {
	v := plain()
	list := []api.Project{
		{Name: "shop", Repository: "/srv/shop/.git", Status: "awaiting_review", State: "awaiting_review", Epic: "Greet people", Tasks: 4, CompletedTasks: 3, FailedTasks: 1, Cost: core.CostOf(1.5, 0), Queued: 2, Refused: 1},
		{Name: "farm", Repository: "https://git.example.org/farm.git", Status: "completed", Archived: true, State: "archived", Refused: 1},
	}
	d := api.ProjectDetail{
		Project: list[0], Runs: 3, Tokens: 120_000, ByStatus: map[string]int{"completed": 3, "failed": 1},
		Limits: &core.Limits{Attempts: 3, Parallel: 4, WallTime: 24 * time.Hour, CostUSD: 5, Tokens: 1_000_000},
		Run:    &api.Run{Alias: "greet-people-8fd0fe", Status: "awaiting_review", Title: "Greet people", StartedAt: start.Add(-time.Minute)},
		Queue: []api.Epic{
			{ID: "epic-4", Project: "shop", Title: "Say goodbye", Place: 1, Playbook: "project-rules", Base: "main", By: "ada", At: start.Add(-time.Hour)},
			{ID: "epic-2", Project: "shop", Title: "Say more", Playbook: "project-rules", Base: "main", By: "ada", At: start, Refused: &core.Refusal{Reason: "the branch feature/say-more exists already"}},
		},
	}
	d.Base, d.Playbook, d.URL, d.LastActivity = "main", "project-rules", "https://git.example.org/shop/pulls/7", start.Add(-90*time.Second)
	paused := api.ProjectDetail{Project: api.Project{Name: "shop", Status: "paused", State: "paused", Reason: "release freeze", Repository: "/srv/shop/.git"}}
	var lines []string
	for _, part := range [][]string{v.Projects(list), v.Project(d), v.Project(paused)} {
		lines = append(append(lines, part...), "")
	}
	golden(t, "project", strings.Join(lines, "\n"))
}

func TestRun(t *testing.T) {
	for name, v := range styles() {
		golden(t, "run-"+name, strings.Join(v.Run(detail()), "\n")+"\n")
	}
	golden(t, "run-gated", strings.Join(plain().Run(gated()), "\n")+"\n")
	done := detail()
	done.Status, done.URL = "completed", "https://example.org/pull/7"
	golden(t, "run-completed", strings.Join(plain().Run(done), "\n")+"\n")
}

func TestLive(t *testing.T) {
	for name, v := range styles() {
		golden(t, "live-"+name, strings.Join(v.Live(detail(), "Bash go test ./...\nPASS \x07"), "\n")+"\n")
	}
	narrow := styles()["unicode"]
	narrow.Width = 36
	for _, line := range narrow.Live(detail(), strings.Repeat("word ", 40)) {
		if w := terminal.Width(line); w > narrow.Width {
			t.Errorf("%d columns: %q", w, line)
		}
	}
	golden(t, "live-narrow", strings.Join(narrow.Live(detail(), ""), "\n")+"\n")
}

// TestAtRest holds a run that does not go on to stages that do not look alive.
func TestAtRest(t *testing.T) {
	open := func(change func(*api.RunDetail)) []string {
		d := detail()
		d.Stages[1].Tasks[0].Status = "waiting"
		d.Stages[1].Tasks[0].Attempts = d.Stages[1].Tasks[0].Attempts[:1]
		change(&d)
		v := plain()
		v.Unattended = d.Status == "active"
		return append(v.Run(d), v.Live(d, "")...)
	}
	for name, c := range map[string]struct {
		change func(*api.RunDetail)
		want   string
	}{
		"paused":     {func(d *api.RunDetail) { d.Status = "paused" }, "[.] build     paused, round 2"},
		"cancelled":  {func(d *api.RunDetail) { d.Status = "cancelled" }, "[.] build     left off, round 2"},
		"unattended": {func(*api.RunDetail) {}, "[.] build     stands still, round 2"},
		"checks stopped": {func(d *api.RunDetail) {
			d.Status, d.Halted, d.Stages[1].Tasks[0].Status = "paused", true, "verifying"
		}, "checks stopped"},
	} {
		text := strings.Join(open(c.change), "\n")
		if !strings.Contains(text, c.want) || strings.Contains(text, "[>]") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	busy := detail()
	busy.Status = "paused"
	if text := strings.Join(plain().Run(busy), "\n"); !strings.Contains(text, "[>] build     under way") {
		t.Errorf("an agent that finishes its work in a paused run does not show:\n%s", text)
	}
}

func TestNextTry(t *testing.T) {
	d := detail()
	task := &d.Stages[1].Tasks[0]
	task.Status, task.Attempts = "waiting", task.Attempts[:1]
	task.NotBefore = plain().Now.Add(16 * time.Second)
	for _, text := range []string{strings.Join(plain().Run(d), "\n"), strings.Join(plain().Live(d, ""), "\n")} {
		if !strings.Contains(text, "next try at 12:12:21, in 16s") {
			t.Errorf("%s", text)
		}
	}
	task.NotBefore = plain().Now
	if text := strings.Join(plain().Run(d), "\n"); strings.Contains(text, "next try") {
		t.Errorf("%s", text)
	}
}

func TestActsHaveNoAttempts(t *testing.T) {
	d := detail()
	d.Stages[1].Tasks = []api.Task{{ID: "publish.r1", Act: "pull-request", Status: "verifying", Limit: 3}}
	text := strings.Join(append(plain().Run(d), plain().Live(d, "")...), "\n")
	if strings.Contains(text, "of 3") || !strings.Contains(text, "publish.r1 - pull-request - checks run once more") {
		t.Errorf("%s", text)
	}
}

func TestLongTextIsWrapped(t *testing.T) {
	long := strings.Repeat("some words ", 12)
	d := gated()
	d.Reason, d.Gate.Findings[0].Issue, d.Gate.Notices[0] = long, long, long
	narrow := plain()
	narrow.Width = 60
	for _, line := range narrow.Run(d) {
		if w := terminal.Width(line); w > narrow.Width {
			t.Errorf("%d columns: %q", w, line)
		}
	}
	golden(t, "run-wrapped", strings.Join(narrow.Run(d), "\n")+"\n")
	piped := plain()
	piped.Width = 0
	if text := strings.Join(piped.Run(d), "\n"); !strings.Contains(text, strings.TrimSpace(long)) {
		t.Errorf("a pipe got wrapped text:\n%s", text)
	}
}

func TestRecord(t *testing.T) {
	records := []api.Record{
		{N: 1, At: start, Kind: "text", Text: "I will look.\nThen act.\x1b[2J"},
		{N: 2, At: start, Kind: "tool_call", Tool: "Bash", Text: "go test ./..."},
		{N: 3, At: start, Kind: "usage"},
		{N: 4, At: start, Kind: "tool_call", Tool: "Bash", Input: json.RawMessage(`{"command":"rm -rf build\u001b[2J","description":"clean"}`)},
		{N: 5, At: start, Kind: "tool_result", Tool: "Bash", Outcome: "denied", Text: "not allowed"},
	}
	var lines []string
	for _, r := range records {
		lines = append(lines, plain().Record(r)...)
	}
	golden(t, "records", strings.Join(lines, "\n")+"\n")
}
