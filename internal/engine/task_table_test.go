package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

func noon(minutes int) time.Time {
	return time.Date(2026, 5, 1, 12, minutes, 0, 0, time.UTC)
}

// managed is a run of a manager, or in waves.
func managed(waves bool) *core.Run {
	r := &core.Run{ID: "r", Project: "p", Goal: "the goal", Branch: "feature/x", Status: core.StatusActive, Playbook: &core.Playbook{Project: &core.Management{}}}
	if waves {
		r.Playbook.Project.Waves = &core.WaveRules{}
		r.Waves = &core.Waves{Works: []*core.Delegated{{Brief: core.Brief{ID: "w1", Task: "do the work"}}}}
	}
	return r
}

// TestTheTableSaysWhatIsToBeDone, in the words of whoever wanted it.
func TestTheTableSaysWhatIsToBeDone(t *testing.T) {
	phases := &core.Run{Goal: "the goal", Playbook: &core.Playbook{Phases: []core.Phase{{ID: "a", Title: "Build", Prompt: "Build it."}, {ID: "b"}}}}
	turn := &core.Turn{Wakes: []core.Wake{{Kind: core.WakeTask, Subject: "t1", Status: "done", Text: " as\n planned"}, {Kind: core.WakeWatchdog}}, Missed: 2}
	for name, c := range map[string]struct {
		run   *core.Run
		stage core.Stage
		task  core.Task
		want  string
	}{
		"its own words":         {phases, core.Stage{ID: "a"}, core.Task{Prompt: "own"}, "own"},
		"a phase":               {phases, core.Stage{ID: "a"}, core.Task{}, "Build: Build it."},
		"a phase without words": {phases, core.Stage{ID: "b"}, core.Task{}, "b: the goal"},
		"no phase":              {phases, core.Stage{ID: "publish", Title: "Publish"}, core.Task{}, "Publish"},
		"nothing is known":      {phases, core.Stage{ID: "publish"}, core.Task{}, "the goal"},
		"a manager's turn":      {managed(false), core.Stage{ID: "manager", Turn: turn}, core.Task{Kind: core.KindManage}, "task t1 done as planned\nwatchdog\nand 2 more"},
		"a turn that saw all":   {managed(false), core.Stage{ID: "manager", Turn: &core.Turn{Wakes: turn.Wakes[1:]}}, core.Task{Kind: core.KindManage}, "watchdog"},
		"a turn nobody asked":   {managed(false), core.Stage{ID: "manager", Title: "Manage"}, core.Task{Kind: core.KindManage}, "Manage"},
		"a planner's turn":      {managed(true), core.Stage{ID: "planner", Title: "Plan"}, core.Task{Kind: core.KindWave}, "the goal"},
		"work of a wave":        {managed(true), core.Stage{ID: "w1", Title: "Work"}, core.Task{Kind: core.KindWork}, "do the work"},
		"its conflict":          {managed(true), core.Stage{ID: "w1", Title: "Work"}, core.Task{Kind: core.KindResolve}, "Work"},
	} {
		if got := taskPrompt(c.run, &c.stage, &c.task); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestTheTableSaysWhoWantedIt: by name, the manager, the planner, the watchdog, or the engine.
func TestTheTableSaysWhoWantedIt(t *testing.T) {
	r := managed(false)
	r.Managing.Delegations = []*core.Delegation{{ID: "d1", By: core.Actor{Kind: core.ActorAgent, ID: "m"}}, {ID: "d2", By: core.Person("ada")}}
	r.Driving.Changes = []core.Changes{{ID: "c1", Source: "kim on the forge"}, {ID: "c2"}}
	woken := func(w core.Wake) core.Stage {
		return core.Stage{Turn: &core.Turn{Wakes: []core.Wake{w, {By: core.Person("late")}}}}
	}
	turn := core.Task{Kind: core.KindManage}
	for name, c := range map[string]struct {
		run   *core.Run
		stage core.Stage
		task  core.Task
		want  string
	}{
		"a person":                   {r, core.Stage{}, core.Task{By: core.Person("ada")}, "ada"},
		"a queue":                    {r, core.Stage{}, core.Task{By: core.Policy("epic-1, queued by ada")}, "epic-1, queued by ada"},
		"a session":                  {r, core.Stage{}, core.Task{By: core.Actor{Kind: core.ActorSession, ID: "s"}}, "session-s"},
		"an agent":                   {r, core.Stage{}, core.Task{By: core.Actor{Kind: core.ActorAgent, ID: "x"}}, "project-mgr-p"},
		"the decider":                {r, core.Stage{}, core.Task{By: core.Actor{Kind: core.ActorDecider, ID: "manager"}}, "engine"},
		"nobody":                     {r, core.Stage{}, core.Task{}, "engine"},
		"a manager's delegation":     {r, core.Stage{}, core.Task{Delegation: "d1", By: core.Person("ada")}, "project-mgr-p"},
		"a person's delegation":      {r, core.Stage{}, core.Task{Delegation: "d2"}, "ada"},
		"one that is not known":      {r, core.Stage{}, core.Task{Delegation: "d9", By: core.Person("ada")}, "project-mgr-p"},
		"who woke first":             {r, woken(core.Wake{By: core.Person("ada")}), turn, "ada"},
		"the watchdog":               {r, woken(core.Wake{Kind: core.WakeWatchdog}), turn, "watchdog"},
		"changes from a forge":       {r, woken(core.Wake{Kind: core.WakeChanges, Subject: "c1"}), turn, "kim on the forge"},
		"changes without a source":   {r, woken(core.Wake{Kind: core.WakeChanges, Subject: "c2"}), turn, "engine"},
		"a person's changes":         {r, woken(core.Wake{Kind: core.WakeChanges, Subject: "c1", By: core.Person("ada")}), turn, "ada"},
		"a turn that nobody woke":    {r, core.Stage{Turn: &core.Turn{}}, core.Task{Kind: core.KindManage, By: core.Person("ada")}, "ada"},
		"what a planner delegated":   {managed(true), core.Stage{ID: "w1"}, core.Task{Kind: core.KindWork, By: core.Person("ada")}, "planner-r"},
		"what it did not":            {managed(true), core.Stage{ID: "w2"}, core.Task{Kind: core.KindWork, By: core.Person("ada")}, "ada"},
		"other work of its stage":    {managed(true), core.Stage{ID: "w1"}, core.Task{Kind: core.KindResolve, By: core.Person("ada")}, "ada"},
		"the planner's turn, by ada": {managed(true), core.Stage{ID: "planner"}, core.Task{Kind: core.KindWave, By: core.Person("ada")}, "ada"},
	} {
		if got := creator(c.run, &c.stage, &c.task); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}

// TestTheTableSaysForWhom a task is, and of two runs' tasks each has its own.
func TestTheTableSaysForWhom(t *testing.T) {
	one, other := managed(false), managed(false)
	other.ID = "r2"
	s, plain := &core.Stage{ID: "a"}, &core.Run{ID: "r", Playbook: &core.Playbook{}}
	id := workerID(one, &core.Task{ID: "t1"})
	if id == workerID(other, &core.Task{ID: "t1"}) || id == workerID(one, &core.Task{ID: "t2"}) || id != workerID(one, &core.Task{ID: "t1"}) {
		t.Error("a worker's id is not that of one task")
	}
	for got, want := range map[string]string{
		addressee(one, s, &core.Task{ID: "t1", Kind: core.KindManage}):         "project-mgr-p",
		addressee(managed(true), s, &core.Task{ID: "t1", Kind: core.KindWave}): "planner-r",
		addressee(plain, s, &core.Task{ID: "t1", Kind: core.KindCode}):         "worker-a-" + id,
		addressee(one, s, &core.Task{ID: "t1", Kind: core.KindReview}):         "worker-review-" + id,
		addressee(one, s, &core.Task{ID: "t1"}):                                "worker-code-" + id,
	} {
		if got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}

// TestTheTableSaysHowItStands: status, times and result of a task in every state, of runs that go on and that are over.
func TestTheTableSaysHowItStands(t *testing.T) {
	attempt := func(s core.AttemptStatus) []*core.Attempt {
		return []*core.Attempt{{ID: "t.a1", Status: s, StartedAt: noon(1), Duration: time.Minute, Summary: "words", Message: "why", Usage: core.Usage{CostUSD: 1}, Delivery: &core.Delivery{Commit: "c1"}}}
	}
	good := `{"success":true,"summary":"words","commit":"c1","duration_ms":60000,"cost_usd":1}`
	bad := `{"success":false,"summary":"why","duration_ms":60000,"cost_usd":1}`
	for name, c := range map[string]struct {
		status             core.RunStatus
		task               core.Task
		want               store.TaskStatus
		started, completed time.Time
		result             string
	}{
		"waiting":                        {core.StatusActive, core.Task{Status: core.TaskWaiting}, "pending", time.Time{}, time.Time{}, ""},
		"running":                        {core.StatusActive, core.Task{Status: core.TaskRunning, Attempts: attempt(core.AttemptRunning)}, "running", noon(1), time.Time{}, ""},
		"delivered":                      {core.StatusActive, core.Task{Status: core.TaskDelivered, Attempts: attempt(core.AttemptEnded)}, "running", noon(1), time.Time{}, ""},
		"verifying":                      {core.StatusActive, core.Task{Status: core.TaskVerifying, Attempts: attempt(core.AttemptEnded)}, "running", noon(1), time.Time{}, ""},
		"done":                           {core.StatusActive, core.Task{Status: core.TaskDone, Attempts: attempt(core.AttemptEnded)}, "completed", noon(1), noon(9), good},
		"done, the run failed":           {core.StatusFailed, core.Task{Status: core.TaskDone, Attempts: attempt(core.AttemptEnded)}, "completed", noon(1), noon(9), good},
		"dropped":                        {core.StatusActive, core.Task{Status: core.TaskDropped, Attempts: attempt(core.AttemptEnded)}, "failed", noon(1), noon(2), bad},
		"running, the run ended":         {core.StatusCancelled, core.Task{Status: core.TaskRunning, Attempts: attempt(core.AttemptStopping)}, "failed", noon(1), time.Time{}, bad},
		"never begun":                    {core.StatusFailed, core.Task{Status: core.TaskWaiting}, "failed", time.Time{}, time.Time{}, `{"success":false,"summary":"it is over","cost_usd":0}`},
		"an act that waits":              {core.StatusActive, core.Task{Act: core.ActMerge, Status: core.TaskWaiting}, "pending", time.Time{}, time.Time{}, ""},
		"an act a person is asked about": {core.StatusActive, core.Task{Act: core.ActMerge, Status: core.TaskDelivered, Prepared: &core.PublishPrepared{}}, "pending", time.Time{}, time.Time{}, ""},
		"an act under way":               {core.StatusActive, core.Task{Act: core.ActMerge, Status: core.TaskVerifying}, "running", noon(0), time.Time{}, ""},
		"an act that is done":            {core.StatusActive, core.Task{Act: core.ActMerge, Status: core.TaskDone}, "completed", noon(0), noon(9), `{"success":true,"commit":"m1","cost_usd":0}`},
	} {
		r := managed(false)
		if r.Status = c.status; r.Status.Terminal() {
			r.EndReason = "it is over"
		}
		c.task.ID, c.task.AdmittedAt = "t", noon(0)
		row := taskRow(r, &core.Stage{ID: "s", Merged: "m1"}, &c.task, noon(9))
		want := store.TaskRow{Status: c.want, Result: []byte(c.result)}
		if !c.started.IsZero() {
			want.StartedAt = &c.started
		}
		if !c.completed.IsZero() {
			want.CompletedAt = &c.completed
		}
		if len(want.Result) == 0 {
			want.Result = nil
		}
		got := store.TaskRow{Status: row.Status, StartedAt: row.StartedAt, CompletedAt: row.CompletedAt, Result: row.Result}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s\n%s", name, diff, row.Result)
		}
	}
}

// TestTheTableSaysWhatBecameOfIt: what a review said, what was merged, resolved or published.
func TestTheTableSaysWhatBecameOfIt(t *testing.T) {
	r := managed(false)
	r.PullRequest = &core.PullRequest{URL: "http://forge/1", Number: 1, Commit: "p1"}
	s := &core.Stage{Merged: "m1", Conflict: &core.Unmerged{Files: []string{"f"}}}
	ended := []*core.Attempt{{Status: core.AttemptEnded, Exit: core.ExitFinished, Duration: time.Second, Usage: core.Usage{CostUSD: 1}},
		{Status: core.AttemptEnded, Exit: core.ExitFinished, Duration: time.Second, Usage: core.Usage{CostUSD: 2}, Review: &core.Review{Status: "approved"}}}
	said := func(review core.Review) []*core.Attempt {
		return []*core.Attempt{{Status: core.AttemptEnded, Exit: core.ExitFinished, Review: &review}}
	}
	changes := core.Review{Status: core.ReviewChangesRequested, Findings: []core.Finding{{File: "a.go", Line: 3, Issue: "no test"}, {Issue: "too slow"}}}
	note := &core.MergeNote{Conflicts: true, Resolved: []string{"g"}, Build: core.VerdictPassed}
	for want, task := range map[string]core.Task{
		`{"success":true,"duration_ms":2000,"cost_usd":3,"review":"approved","decision":"APPROVE"}`:                                                     {Status: core.TaskDone, Attempts: ended},
		`{"success":true,"commit":"m1","cost_usd":0,"conflicts":true,"resolved_files":["g"],"build":"passed"}`:                                          {Status: core.TaskDone, Act: core.ActMerge, Merge: note},
		`{"success":false,"cost_usd":0,"conflicts":true,"resolved_files":["g"],"build":"passed"}`:                                                       {Status: core.TaskDropped, Act: core.ActMerge, Merge: note},
		`{"success":true,"commit":"p1","cost_usd":0,"pr_url":"http://forge/1","pr_number":1}`:                                                           {Status: core.TaskDone, Published: true},
		`{"success":true,"cost_usd":null,"unpriced":1,"review":"changes_requested","decision":"REQUEST_CHANGES","issues":["a.go: no test","too slow"]}`: {Status: core.TaskDone, Attempts: said(changes)},
		`{"success":true,"cost_usd":null,"unpriced":1,"review":"rejected","decision":"REJECT","reason":"the wrong way"}`: {
			Status: core.TaskDone, Attempts: said(core.Review{Status: core.ReviewRejected, Reason: "the wrong way"})},
		`{"success":false,"cost_usd":0}`: {Status: core.TaskDropped, Published: true},
		`{"success":true,"duration_ms":2000,"cost_usd":3,"review":"approved","decision":"APPROVE","conflicts":true,"resolved_files":["f"]}`: {Status: core.TaskDone, Kind: core.KindResolve, Attempts: ended},
	} {
		if got := string(taskResult(r, s, &task)); got != want {
			t.Errorf("%s\nnot %s", got, want)
		}
	}
	task := core.Task{Status: core.TaskDone, Kind: core.KindResolve}
	if got := string(taskResult(r, &core.Stage{}, &task)); got != `{"success":true,"cost_usd":0}` {
		t.Errorf("of a conflict that is no more: %s", got)
	}
}
