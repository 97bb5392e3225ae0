package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
	"github.com/stellwerk-dev/stellwerk/internal/cli/view"
	"github.com/stellwerk-dev/stellwerk/internal/core"
)

const asked = "Which database is it to be, given that the operators know one of them well and the developers the other?"

func managed() api.RunDetail {
	d := detail()
	d.Playbook, d.Stage = "project", core.ManagerStage
	d.Stages = []api.Stage{
		{ID: core.ManagerStage, Status: core.StageOpen, Round: 3, Tasks: []api.Task{{
			ID: "manager.r3", Role: "project-manager", Status: core.TaskRunning, Limit: 3,
			Attempts: []api.Attempt{{ID: "manager.r3.a1", Status: core.AttemptRunning, Agent: "claude", StartedAt: start.Add(10 * time.Minute)}},
		}}},
		{ID: "t1", Status: core.StageDone, Round: 1, Branch: "feature/add-search/t1", Title: "The index"},
		{ID: "t2", Status: core.StageOpen, Round: 1, Branch: "feature/add-search/t2", Title: "The field", Tasks: []api.Task{{
			ID: "t2.r1", Role: "developer", Status: core.TaskRunning, Limit: 3,
			Attempts: []api.Attempt{{ID: "t2.r1.a1", Status: core.AttemptRunning, Agent: "claude", StartedAt: start.Add(11 * time.Minute)}},
		}}},
	}
	d.Manager = &api.Manager{
		Turn: 3, Busy: true,
		Woken: []core.Wake{{Kind: core.WakeTask, Subject: "t1", Status: "done"}, {Kind: core.WakeMessage}, {Kind: core.WakeMessage}},
		Wakes: []core.Wake{{Kind: core.WakeAnswer, Subject: "q-1f2e3d4c"}},
		Delegations: []api.Delegation{
			{ID: "t1", Title: "The index", Kind: "code", Status: "done"},
			{ID: "t2", Title: "The field, " + strings.Repeat("which is long, ", 6), Kind: "code", Status: "open"},
			{ID: "t3", Title: "merge api", Status: "waiting"},
			{ID: "t4", Title: "Nobody's", Status: "refused", Reason: "there is no role \"poet\" to delegate to; there are developer, code-reviewer and test-engineer"},
			{ID: "t5", Title: "Hard\x1b[2J", Status: "failed", Reason: "the checks failed three times"},
		},
		Questions: []api.Question{
			{ID: "q-1f2e3d4c", Text: asked, At: start.Add(9 * time.Minute)},
			{ID: "q-00112233", Text: "Loud?", Default: "no", Due: start.Add(time.Hour), At: start.Add(10 * time.Minute)},
		},
	}
	return d
}

func TestManaged(t *testing.T) {
	for name, v := range styles() {
		golden(t, "manager-"+name, strings.Join(v.Run(managed()), "\n")+"\n")
		golden(t, "manager-live-"+name, strings.Join(v.Live(managed(), "Thinking"), "\n")+"\n")
	}
	d := managed()
	d.Status, d.Reason, d.Next, d.Manager.Busy, d.Manager.Asks = "paused", "the manager asks: "+asked, "`stellwerk answer q-1f2e3d4c \"…\"`", false, true
	golden(t, "manager-asks", strings.Join(plain().Run(d), "\n")+"\n")
	for _, line := range plain().Run(d) {
		if terminal.Width(line) > 80 {
			t.Errorf("%d columns: %s", terminal.Width(line), line)
		}
	}
}

// TestMessagesAreHarmless: agents write to a person's screen.
func TestMessagesAreHarmless(t *testing.T) {
	said := []core.Said{
		{Kind: core.SaidGoal, Voice: core.VoiceUser, By: "ada", Text: "Add a search field"},
		{Kind: core.SaidMessage, Voice: core.VoiceGreen, By: "manager.r1.a1", Text: "Two\tlines,\nthe \x1b]0;title\x07second with \u202ebidi and\r an overwrite"},
		{Kind: core.SaidMessage, Voice: core.VoiceRed, By: "t1.r1.a1", Text: strings.Repeat("many words ", 20)},
		{Kind: core.SaidMessage, Voice: core.VoiceBlue, By: "ada", Text: "from a program"},
		{Kind: core.SaidQuestion, Voice: core.VoiceGreen, Question: "q-1f2e3d4c", Text: asked, Default: "\x9bthis one", Due: start.Add(time.Hour)},
		{Kind: core.SaidAnswer, Voice: core.VoiceUser, By: "ada\x1b[2J", Question: "q-1f2e3d4c", Text: "the other"},
		{Kind: core.SaidAnswer, Question: "q-1f2e3d4c", Text: "this one"},
	}
	var lines []string
	for i, s := range said {
		lines = append(lines, plain().Message(api.Message{Said: s, At: start.Add(time.Duration(i) * time.Second)})...)
	}
	golden(t, "messages", strings.Join(lines, "\n")+"\n")
	for _, line := range lines {
		if terminal.Width(line) > 80 || strings.ContainsAny(line, "\x1b\x07\r\u202e\u009b") {
			t.Errorf("%q", line)
		}
	}
	huge := plain().Message(api.Message{Said: core.Said{Kind: core.SaidMessage, Voice: core.VoiceGreen, Text: strings.Repeat("x", 10_000)}})
	if got := strings.Count(strings.Join(huge, ""), "x"); got != 10_000 || len(huge) > 2 {
		t.Errorf("%d of 10000 characters in %d lines", got, len(huge))
	}
}

// TestNews: a question is not told twice, and machinery not at all.
func TestNews(t *testing.T) {
	var lines []string
	for i, body := range []core.Body{
		core.StageOpened{Stage: core.ManagerStage, Round: 3, Reason: core.OpenWoken},
		core.StageOpened{Stage: "t1", Round: 1},
		core.TaskProposed{Delegation: "t1", Proposal: core.Proposal{Prompt: "Write \x1b[2Jhello\nand more"}},
		core.MessageSent{Voice: core.VoiceGreen, Text: "hello"},
		core.AttemptRequested{Attempt: "t1.r1.a1"},
		core.TaskFailed{Task: "t1.r1", Reason: strings.Repeat("it failed and ", 10)},
		core.MergeConcluded{Task: "t1.r1.merge", Passed: true, Commit: "deadbeefcafe"},
		core.RunPaused{Code: core.PauseQuestion, Reason: "the manager asks: what?"},
		core.RunPaused{Code: core.PausePerson, Reason: "paused by ada"},
		core.RunCompleted{},
	} {
		e, _, err := core.Seal("run/x", core.Head{Seq: int64(i), At: start}, start, core.Engine(), "", body)
		if err != nil {
			t.Fatal(err)
		}
		if view.Newsworthy(e) {
			lines = append(lines, plain().Notice(e)...)
		}
	}
	golden(t, "news", strings.Join(lines, "\n")+"\n")
	for _, d := range []api.RunDetail{managed(), detail()} {
		if got := strings.Join(plain().Standing(d), "\n"); !strings.Contains(got, "brisk-otter") {
			t.Error(got)
		}
	}
}
