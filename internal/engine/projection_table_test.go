package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestTheRowOfARun has each of its columns from the place it belongs to.
func TestTheRowOfARun(t *testing.T) {
	ended := noon(5)
	r := &core.Run{
		ID: "id", Alias: "alias", Project: "project", Title: "title", Goal: "goal", Issue: "7", Status: core.StatusFailed, Branch: "branch", Base: "base", Isolation: "sandbox",
		Attempts: 3, Usage: core.Usage{CostUSD: 1.5, InputTokens: 10, OutputTokens: 20}, Unpriced: 2, StartedAt: noon(0), EndedAt: &ended, EndReason: "why it ended",
		Stream: core.Head{At: noon(5)}, Playbook: &core.Playbook{}, PullRequest: &core.PullRequest{URL: "http://forge/1"},
	}
	want := store.RunRow{
		ID: "id", Alias: "alias", Project: "project", Title: "title", Goal: "goal", Issue: "7", Status: "failed", Branch: "branch", Base: "base", Isolation: "sandbox",
		Attempts: 3, CostUSD: 1.5, Tokens: 30, Unpriced: 2, StartedAt: noon(0), UpdatedAt: r.Now(), EndedAt: &ended, Reason: "why it ended", URL: "http://forge/1", Worked: r.Share().Worked,
	}
	if diff := cmp.Diff(want, runRow(r)); diff != "" {
		t.Error(diff)
	}
	r.Limits.Project = core.ProjectLimits{Tokens: 1}
	r.Pause = &core.Pause{Reason: "why it is paused"}
	if row := runRow(r); row.Reason != "why it is paused" || !row.Limited {
		t.Errorf("%+v", row)
	}
}

// TestTheRowOfATask has each of its columns from the place it belongs to.
func TestTheRowOfATask(t *testing.T) {
	s := &core.Stage{ID: "build", Branch: "feature/x/t1"}
	task := &core.Task{
		ID: "t2", Kind: core.KindReview, Prompt: "look at it", DependsOn: []string{"t0", "t1"}, Status: core.TaskRunning, AdmittedAt: noon(1), By: core.Person("ada"),
		Attempts: []*core.Attempt{{ID: "t2.a1", Status: core.AttemptEnded, StartedAt: noon(2)}, {ID: "t2.a2", Status: core.AttemptRunning, StartedAt: noon(3)}},
	}
	r := managed(false)
	r.Home, r.Remote = "file:///home", "https://forge/r"
	begun := noon(3)
	want := store.TaskRow{
		ID: "r/t2", Run: "r", Project: "p", Addressee: addressee(r, s, task), Kind: "review", Status: "running", Prompt: "look at it", RepoURL: "file:///home",
		Branch: "feature/x/t1", TriggeredBy: "r/t1", CreatedBy: "ada", CreatedAt: noon(1), StartedAt: &begun, Worker: "t2.a2",
	}
	if diff := cmp.Diff(want, taskRow(r, s, task, noon(9))); diff != "" {
		t.Error(diff)
	}
	plain := &core.Run{ID: "r", Project: "p", Remote: "https://forge/r", Branch: "feature/x", Status: core.StatusActive, Playbook: &core.Playbook{}}
	s.Branch, task.Attempts, task.DependsOn = "", nil, nil
	want.Kind, want.RepoURL, want.Branch, want.Addressee, want.TriggeredBy, want.StartedAt, want.Worker = "build", "https://forge/r", "feature/x", addressee(plain, s, task), "", nil, ""
	if diff := cmp.Diff(want, taskRow(plain, s, task, noon(9))); diff != "" {
		t.Error(diff)
	}
}

// TestWhatAStepSpends: the other runs are looked at where a step costs something or a run begins to work beside them, and a
// run at work is held to its project's limits.
func TestWhatAStepSpends(t *testing.T) {
	limits := core.ProjectLimits{CostUSD: 10}
	state := func(status core.RunStatus, cost float64, tokens int64, limits core.ProjectLimits) *core.Run {
		r := managed(false)
		r.Status, r.Usage, r.Limits.Project, r.Stream.At = status, core.Usage{CostUSD: cost, OutputTokens: tokens}, limits, noon(3)
		return r
	}
	requested := core.AttemptRequested{Attempt: "t1.a1", Task: "t1"}
	timer := core.TimerFired{Timer: "t"}
	reserved, refused := core.AllowanceReserved{Attempt: "t1.a1", Seq: 1}, core.AllowanceReserved{Attempt: "t1.a1", Seq: 1, Refused: true}
	rests, works := core.Intent{}, core.Intent{Works: true}
	starts := core.Intent{Works: true, Starts: true, Reserves: true}
	before := state(core.StatusActive, 1, 10, limits)
	for name, c := range map[string]struct {
		before, after *core.Run
		body          core.Body
		spends        bool
		step          core.Intent
		budget        bool
	}{
		"it begins":                 {nil, state(core.StatusActive, 0, 0, limits), timer, true, works, true},
		"an attempt is wanted":      {before, state(core.StatusActive, 1, 10, limits), requested, false, starts, true},
		"more is reserved":          {before, state(core.StatusActive, 1, 10, limits), reserved, false, core.Intent{Works: true, Reserves: true}, true},
		"no more is reserved":       {before, state(core.StatusActive, 1, 10, limits), refused, false, works, true},
		"it rests and is refused":   {before, state(core.StatusPaused, 1, 10, limits), refused, false, rests, false},
		"it rests and reserves":     {before, state(core.StatusPaused, 1, 10, limits), reserved, false, core.Intent{Reserves: true}, true},
		"nothing is used":           {before, state(core.StatusActive, 1, 10, limits), timer, false, works, true},
		"money is used":             {before, state(core.StatusActive, 1.5, 10, limits), timer, true, works, true},
		"tokens are used":           {before, state(core.StatusActive, 1, 11, limits), timer, true, works, true},
		"it rests":                  {before, state(core.StatusPaused, 1, 10, limits), timer, false, rests, false},
		"it rests and used tokens":  {before, state(core.StatusPaused, 1, 11, limits), timer, true, rests, false},
		"it works again":            {state(core.StatusPaused, 1, 10, limits), before, timer, true, works, true},
		"a project without a limit": {before, state(core.StatusActive, 1, 10, core.ProjectLimits{}), timer, false, works, false},
	} {
		b := &batch{run: c.after, commit: store.Commit{Events: []core.Event{said(t, core.Engine(), c.body)}}}
		b.notes(core.TimerFired{Timer: "t"})
		b.notes(c.body)
		b.limit(c.before)
		want := store.Commit{Events: b.commit.Events, Spends: c.spends}
		if c.budget {
			want.Budget = &store.Budget{Project: "p", Run: "r", Share: c.after.Share(), At: noon(3), Intent: c.step, Limits: limits}
		}
		if diff := cmp.Diff(want, b.commit); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestARunThatDrivesItsProjectTellsHowFarItIs, and no other does.
func TestARunThatDrivesItsProjectTellsHowFarItIs(t *testing.T) {
	for status, want := range map[core.RunStatus]core.RunStatus{
		core.StatusActive: "active", core.StatusCancelled: "active", core.StatusAwaiting: "paused", core.StatusPaused: "paused",
		core.StatusReview: "awaiting_review", core.StatusCompleted: "completed", core.StatusFailed: "failed", "unheard of": "active",
	} {
		r := managed(false)
		r.Title, r.Status, r.PullRequest = "title", status, &core.PullRequest{URL: "http://forge/1", Number: 1}
		if status == core.StatusPaused {
			r.Pause = &core.Pause{Reason: "lunch"}
		}
		got := progress(r)
		if diff := cmp.Diff(&store.Progress{
			Project: "p", Status: want, Reason: r.Waits(), Epic: "title", Branch: "feature/x", At: r.Now(), PRURL: "http://forge/1", PRNumber: 1,
		}, got); diff != "" {
			t.Errorf("%s: %s", status, diff)
		}
	}
	if progress(managed(true)) != nil || progress(&core.Run{Playbook: &core.Playbook{}}) != nil {
		t.Error("a run that drives no project says how far it is")
	}
}

// TestTheRowOfAProject says what people decided about it.
func TestTheRowOfAProject(t *testing.T) {
	p := &core.Project{ID: "p", Name: "shop", Playbook: "greet", Stream: core.Head{At: noon(5)}}
	want := store.Standing{Project: "p", Name: "shop", Playbook: "greet", At: noon(5)}
	if diff := cmp.Diff(&want, standing(p)); diff != "" {
		t.Error(diff)
	}
	p.Pause = &core.Standstill{By: "ada"}
	if want.Paused = "paused by ada"; standing(p).Paused != want.Paused {
		t.Errorf("%+v", standing(p))
	}
	p.Pause.Reason = "holidays"
	p.Archived = &core.Standstill{At: noon(6)}
	p.Queue = []core.QueuedEpic{{}, {Refused: &core.Refusal{}}, {}}
	at := noon(6)
	want.Paused, want.ArchivedAt, want.Queued, want.Refused = "holidays", &at, 2, 1
	if diff := cmp.Diff(&want, standing(p)); diff != "" {
		t.Error(diff)
	}
}

// said seals what somebody says.
func said(t *testing.T, actor core.Actor, body core.Body) core.Event {
	t.Helper()
	ev, _, err := core.Seal("run/r", core.Head{Seq: 6}, noon(1), actor, "", body)
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

// TestAnAnswerIsInTheConversationOfItsQuestion, wherever it was typed.
func TestAnAnswerIsInTheConversationOfItsQuestion(t *testing.T) {
	r := managed(false)
	r.Answers = []core.Answer{{Question: core.Question{ID: "q1", Conversation: "talk"}}, {Question: core.Question{ID: "", Conversation: "wrong"}}}
	events := []core.Event{
		said(t, core.Person("ada"), core.MessageSent{Voice: core.VoiceUser, Text: "hello", Conversation: "other"}),
		said(t, core.Engine(), core.TimerFired{Timer: "t"}),
		said(t, core.Person("ada"), core.QuestionAnswered{ID: "q1", Text: "yes"}),
		said(t, core.Person("ada"), core.QuestionAnswered{ID: "q9", Text: "no"}),
	}
	rows, err := messageRows(r, events)
	if err != nil || len(rows) != 3 {
		t.Fatalf("%d messages, %v", len(rows), err)
	}
	for i, want := range []string{"other", "talk", ""} {
		row := rows[i]
		if row.Conversation != want || row.Project != "p" || row.Run != "r" || row.Seq != 7 || row.Event != "run/r#7" || !row.At.Equal(noon(1)) {
			t.Errorf("%+v", row)
		}
	}
	events[0].Body = []byte("{")
	if _, err := messageRows(r, events); err == nil {
		t.Error("a message that cannot be read is left out")
	}
}

// TestOnlyWhatMovedIsWritten: the rows of tasks that a step left alone are not written again, and what it ended is.
func TestOnlyWhatMovedIsWritten(t *testing.T) {
	r := managed(false)
	r.Stages = []*core.Stage{{ID: "s", Tasks: []*core.Task{
		{ID: "done", Status: core.TaskDone, AdmittedAt: noon(0)},
		{ID: "verified", Status: core.TaskDone, AdmittedAt: noon(0), Attempts: []*core.Attempt{{ID: "verified.a1", Status: core.AttemptEnded, Exit: core.ExitFinished}}},
		{ID: "waits", Status: core.TaskWaiting, AdmittedAt: noon(0)},
	}}}
	ids := func(rows []store.TaskRow) (out []string) {
		for _, row := range rows {
			out = append(out, row.ID)
		}
		return out
	}
	timer := []core.Event{said(t, core.Engine(), core.TimerFired{Timer: "t"})}
	verified := []core.Event{said(t, core.Engine(), core.VerifyConcluded{Task: "verified", Passed: true})}
	exited := []core.Event{said(t, core.Engine(), core.AttemptExited{Attempt: "verified.a1", Kind: core.ExitFinished, Duration: time.Second})}
	before := managed(false)
	before.Stages = []*core.Stage{{ID: "s", Tasks: []*core.Task{r.Stages[0].Tasks[0], {ID: "verified", Status: core.TaskVerifying, AdmittedAt: noon(0)}, r.Stages[0].Tasks[2]}}}
	emptied := managed(false)
	emptied.Stages = []*core.Stage{{ID: "s"}}
	for name, c := range map[string]struct {
		before *core.Run
		events []core.Event
		want   []string
	}{
		"nothing was there":     {nil, timer, []string{"r/waits"}},
		"nothing happened":      {r, timer, nil},
		"one was verified":      {before, verified, []string{"r/verified"}},
		"its attempt ended":     {before, exited, []string{"r/verified"}},
		"a stage is new":        {managed(false), timer, []string{"r/waits"}},
		"its tasks are new":     {emptied, timer, []string{"r/waits"}},
		"a task and its events": {nil, verified, []string{"r/verified", "r/waits"}},
	} {
		if got := ids(taskRows(c.before, r, c.events)); !cmp.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", name, got, c.want)
		}
	}
	if got := ids(leftRows(r, "s", verified)); !cmp.Equal(got, []string{"r/verified"}) {
		t.Errorf("of a round that is left: %v", got)
	}
	if leftRows(r, "other", verified) != nil {
		t.Error("of a stage that is not there")
	}
}
