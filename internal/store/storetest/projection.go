package storetest

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

func moment(minute int) time.Time {
	return time.Date(2026, 3, 1, 12, minute, 0, 654321000, time.UTC)
}

func later(minute int) *time.Time {
	t := moment(minute)
	return &t
}

func testRunRow(t *testing.T, open Open) {
	s := open(t)
	row := store.RunRow{
		ID: "0198-a", Alias: "otter", Project: "p", Title: "Title", Goal: "Goal\nof two lines", Issue: "42",
		Status: "active", Reason: "why", Stage: "plan", Branch: "feature/x", Base: "main",
		URL: "https://example.org/1", Isolation: "sandbox", Attempts: 3, CostUSD: 0.25, Unpriced: 2, Tokens: 1 << 40, HeldUSD: 0.125, HeldTokens: 1 << 41, Limited: true, Worked: 90 * time.Minute,
		StartedAt: moment(1), UpdatedAt: moment(2),
	}
	put := func() { push(t, s, "run/0198-a", func(c *store.Commit) { c.Run = &row }) }
	put()
	for _, name := range []string{"0198-a", "otter"} {
		got, err := s.Run(t.Context(), name)
		if diff := cmp.Diff(row, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	row.Limited, row.Worked = false, 91*time.Minute
	put()
	row.Status, row.EndedAt, row.Attempts = "completed", later(9), 4
	put()
	got, err := s.Run(t.Context(), "otter")
	if diff := cmp.Diff(row, got); err != nil || diff != "" {
		t.Errorf("replaced: %v\n%s", err, diff)
	}
	push(t, s, "run/0198-a") // a commit without a row leaves it
	if _, err := s.Run(t.Context(), "otter"); err != nil {
		t.Error(err)
	}
	_, err = s.Run(t.Context(), "badger")
	wantErr(t, err, store.ErrNotFound)
}

func testRunFilter(t *testing.T, open Open) {
	s := open(t)
	for i, r := range []store.RunRow{
		{ID: "a", Project: "p", Status: "active"}, {ID: "b", Project: "p", Status: "completed"},
		{ID: "c", Project: "q", Status: "failed"}, {ID: "d", Project: "q", Status: "paused"},
		{ID: "e", Project: "p", Status: "cancelled"}, {ID: "f", Project: "p", Status: "awaiting_approval"},
	} {
		r.StartedAt, r.UpdatedAt, r.Alias, r.CostUSD, r.Tokens, r.Unpriced = moment(i), moment(10+i), "same", 0.5, 100, 1
		push(t, s, core.RunStream(r.ID), func(c *store.Commit) { c.Run = &r })
	}
	for _, tt := range []struct {
		filter store.Filter
		want   string
	}{
		{store.Filter{}, "fedcba"}, {store.Filter{Open: true}, "fda"}, {store.Filter{Project: "p"}, "feba"},
		{store.Filter{Project: "p", Open: true}, "fa"}, {store.Filter{Limit: 2}, "fe"},
		{store.Filter{Open: true, Limit: 1}, "f"}, {store.Filter{Project: "none"}, ""},
		{store.Filter{Before: "d"}, "cba"}, {store.Filter{Before: "e", Project: "p"}, "ba"}, {store.Filter{Before: "e", Limit: 2}, "dc"},
		{store.Filter{Before: "d", Open: true}, "a"}, {store.Filter{Before: "a"}, ""}, {store.Filter{Status: "failed"}, "c"},
		{store.Filter{Status: "completed", Project: "p", Before: "e"}, "b"}, {store.Filter{Status: "completed", Open: true}, ""},
	} {
		rows, err := s.Runs(t.Context(), tt.filter)
		got := ""
		for _, r := range rows {
			got += r.ID
		}
		if err != nil || got != tt.want {
			t.Errorf("%+v: %q, %v, want %q", tt.filter, got, err, tt.want)
		}
	}
	if _, err := s.Runs(t.Context(), store.Filter{Before: "none"}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after a run that is not there: %v", err)
	}
	for project, want := range map[string]store.RunTotals{"p": {Runs: 4, CostUSD: 2, Unpriced: 4, Tokens: 400, UpdatedAt: moment(15)}, "none": {}} {
		if got, err := s.RunTotals(t.Context(), project); err != nil || got != want {
			t.Errorf("totals of %s: %+v, %v, want %+v", project, got, err, want)
		}
	}
	if row, err := s.Run(t.Context(), "same"); err != nil || row.ID != "f" {
		t.Errorf("an alias of several: %q, %v, want the newest", row.ID, err)
	}
}

// testRunPages lists runs that began in the same moment page by page: each once.
func testRunPages(t *testing.T, open Open) {
	s := open(t)
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		push(t, s, core.RunStream(id), func(c *store.Commit) {
			c.Run = &store.RunRow{ID: id, Alias: id, Project: "p", Status: "active", StartedAt: moment(1), UpdatedAt: moment(1)}
		})
	}
	for _, f := range []store.Filter{{Limit: 2}, {Limit: 2, Project: "p"}, {Limit: 2, Open: true}, {Limit: 2, Status: "active"}} {
		got := ""
		for {
			rows, err := s.Runs(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range rows {
				got, f.Before = got+r.ID, r.ID
			}
			if len(rows) < f.Limit {
				break
			}
		}
		if got != "edcba" {
			t.Errorf("%+v: the pages have %q", f, got)
		}
	}
}

func testProjectRow(t *testing.T, open Open) {
	s := open(t)
	row := store.ProjectRow{
		ID: "p", Name: "Name", RepoURL: "file:///r", DefaultBranch: "main", IntegrationBranch: "feature/x",
		Status: "active", CurrentEpic: "epic", LastActivity: moment(3), CreatedAt: moment(1), CreatedBy: "me",
		PRURL: "https://example.org/2", PRNumber: 2,
		Playbook: "project-rules", Paused: "holidays", Reason: "why", ArchivedAt: later(8), Queued: 2, Refused: 1,
	}
	put := func() { push(t, s, core.ProjectStream("p"), func(c *store.Commit) { c.Project = &row }) }
	put()
	row.Status = "awaiting_review"
	put()
	other := store.ProjectRow{ID: "q", LastActivity: moment(4), CreatedAt: moment(4)}
	push(t, s, core.ProjectStream("q"), func(c *store.Commit) { c.Project = &other })
	got, err := s.Project(t.Context(), "p")
	if diff := cmp.Diff(row, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err := s.Project(t.Context(), "Name"); err != nil || got.ID != "p" {
		t.Errorf("by its name: %+v, %v", got, err)
	}
	got, err = s.Project(t.Context(), "q")
	if diff := cmp.Diff(other, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	_, err = s.Project(t.Context(), "none")
	wantErr(t, err, store.ErrNotFound)
}

// testTotals: what a project's row says of its runs and tasks is true whatever
// kind they are of, and whether the project or they were there first.
func testTotals(t *testing.T, open Open) {
	s := open(t)
	row := store.ProjectRow{ID: "p", Name: "Name", Status: "active", LastActivity: moment(1), CreatedAt: moment(1)}
	put := func() { push(t, s, core.ProjectStream("p"), func(c *store.Commit) { c.Project = &row }) }
	work := func(run, project string, cost float64, at int, tasks ...store.TaskStatus) {
		push(t, s, "run/"+run, func(c *store.Commit) {
			c.Run = &store.RunRow{ID: run, Alias: run, Project: project, Status: "active", CostUSD: cost, StartedAt: moment(1), UpdatedAt: moment(at)}
			for i, status := range tasks {
				c.Tasks = append(c.Tasks, store.TaskRow{ID: fmt.Sprint(i), Run: run, Project: project, Status: status, CreatedAt: moment(1)})
			}
		})
	}
	want := func(step string, tasks, completed, failed int, cost float64, at int) {
		t.Helper()
		got, err := s.Project(t.Context(), "p")
		if err != nil || got.TotalTasks != tasks || got.CompletedTasks != completed || got.FailedTasks != failed || got.TotalCostUSD != cost || !got.LastActivity.Equal(moment(at)) {
			t.Errorf("%s: %+v, %v", step, got, err)
		}
	}
	work("a", "p", 0.5, 2, "completed", "running", "failed") // before the project has a row
	put()
	want("registered", 3, 1, 1, 0.5, 2)
	work("a", "p", 0.75, 3, "completed", "completed", "failed")
	work("b", "p", 1, 4, "pending")
	work("c", "q", 8, 9, "completed")
	want("worked on", 4, 2, 1, 1.75, 4)
	work("b", "p", 1, 4, "pending")
	want("the same again", 4, 2, 1, 1.75, 4)
	work("b", "p", 1.25, 3, "failed")
	want("failed", 4, 2, 2, 2, 4)
	put()
	want("put again", 4, 2, 2, 2, 4)
	row.LastActivity = moment(5)
	put()
	want("put again later", 4, 2, 2, 2, 5)
}

// testProgress: a run brings its project's row up to date, with totals over
// everything the project has.
func testProgress(t *testing.T, open Open) {
	s := open(t)
	row := store.ProjectRow{ID: "p", Name: "Name", Status: "active", LastActivity: moment(1), CreatedAt: moment(1)}
	push(t, s, core.ProjectStream("p"), func(c *store.Commit) { c.Project = &row })
	run := store.RunRow{ID: "a", Project: "p", CostUSD: 1.5, Unpriced: 2, StartedAt: moment(2), UpdatedAt: moment(2)}
	push(t, s, "run/a", func(c *store.Commit) {
		c.Run = &run
		c.Tasks = []store.TaskRow{
			{ID: "1", Run: "a", Project: "p", Status: "completed", CreatedAt: moment(2)},
			{ID: "2", Run: "a", Project: "p", Status: "failed", CreatedAt: moment(2)},
			{ID: "3", Run: "a", Project: "p", Status: "running", CreatedAt: moment(2)},
		}
		c.Progress = &store.Progress{
			Project: "p", Status: "awaiting_review", Reason: "look", Epic: "greet", Branch: "feature/greet", At: moment(3), PRURL: "u", PRNumber: 7,
		}
	})
	if got, err := s.TaskCounts(t.Context(), "p"); err != nil || !maps.Equal(got, map[string]int{"completed": 1, "failed": 1, "running": 1}) {
		t.Errorf("tasks by status: %v, %v", got, err)
	}
	row.Reason = "look"
	row.Status, row.CurrentEpic, row.IntegrationBranch, row.LastActivity = "awaiting_review", "greet", "feature/greet", moment(3)
	row.TotalTasks, row.CompletedTasks, row.FailedTasks, row.TotalCostUSD, row.Unpriced, row.PRURL, row.PRNumber = 3, 1, 1, 1.5, 2, "u", 7
	other := store.ProjectRow{ID: "q", LastActivity: moment(2), CreatedAt: moment(2)}
	push(t, s, core.ProjectStream("q"), func(c *store.Commit) { c.Project = &other })
	push(t, s, "run/b", func(c *store.Commit) { c.Progress = &store.Progress{Project: "nobody", At: moment(9)} })
	got, err := s.Projects(t.Context(), 10)
	if diff := cmp.Diff([]store.ProjectRow{row, other}, got); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if got, err := s.Projects(t.Context(), 1); err != nil || len(got) != 1 {
		t.Errorf("one project: %+v, %v", got, err)
	}
}

// testStanding: a person's pause outranks what the run brought its project to,
// which is there again once they let it go on.
func testStanding(t *testing.T, open Open) {
	s := open(t)
	row := store.ProjectRow{ID: "p", Name: "Name", Status: "active", LastActivity: moment(1), CreatedAt: moment(1)}
	push(t, s, core.ProjectStream("p"), func(c *store.Commit) { c.Project = &row })
	stand := func(st store.Standing) {
		st.Project = "p"
		push(t, s, core.ProjectStream("p"), func(c *store.Commit) { c.Standing = &st })
	}
	drive := func(status core.RunStatus, minute int) {
		push(t, s, "run/a", func(c *store.Commit) {
			c.Progress = &store.Progress{Project: "p", Status: status, Reason: "asks", At: moment(minute)}
		})
	}
	want := func(step string) {
		t.Helper()
		got, err := s.Project(t.Context(), "p")
		if diff := cmp.Diff(row, got); err != nil || diff != "" {
			t.Errorf("%s: %v\n%s", step, err, diff)
		}
	}
	stand(store.Standing{Name: "shop", Playbook: "project-rules", Paused: "holidays", Queued: 2, Refused: 1, At: moment(4)})
	row.Name, row.Playbook, row.Paused, row.Status, row.Queued, row.Refused, row.LastActivity = "shop", "project-rules", "holidays", "paused", 2, 1, moment(4)
	want("paused")
	drive("awaiting_review", 5)
	row.Reason, row.LastActivity = "asks", moment(5)
	want("paused while its run moves")
	drive("awaiting_review", 2) // an imported run tells of what was long ago
	want("driven by an older run")
	stand(store.Standing{Name: "shop", ArchivedAt: later(6), At: moment(3)})
	row.Playbook, row.Paused, row.Status, row.Queued, row.Refused, row.ArchivedAt = "", "", "awaiting_review", 0, 0, later(6)
	want("archived")
	stand(store.Standing{Name: "shop", At: moment(7)})
	row.ArchivedAt, row.LastActivity = nil, moment(7)
	want("back again")
	row.Status = "completed"
	push(t, s, core.ProjectStream("p"), func(c *store.Commit) { c.Project = &row })
	stand(store.Standing{Name: "shop", Paused: "lunch", At: moment(8)})
	stand(store.Standing{Name: "shop", At: moment(8)})
	row.LastActivity = moment(8)
	want("paused and let go on after its row was put again")
}

func testTaskRows(t *testing.T, open Open) {
	s := open(t)
	full := store.TaskRow{
		ID: "plan.r1", Run: "a", Addressee: "worker-code-1", Project: "p", Kind: "CODE", Status: "completed",
		Prompt: "Do it", RepoURL: "file:///r", Branch: "feature/x", TriggeredBy: "other", CreatedBy: "phases",
		CreatedAt: moment(1), StartedAt: later(2), CompletedAt: later(3), Result: []byte(`{"success":true}`), Worker: "local",
	}
	bare := store.TaskRow{ID: "code.r1", Run: "a", Status: "pending", CreatedAt: moment(2)}
	same := store.TaskRow{ID: "plan.r1", Run: "b", Status: "pending", CreatedAt: moment(2)}
	pending := full
	pending.Status, pending.CompletedAt, pending.Result = "running", nil, nil
	push(t, s, "run/a", func(c *store.Commit) { c.Tasks = []store.TaskRow{pending, bare} })
	push(t, s, "run/b", func(c *store.Commit) { c.Tasks = []store.TaskRow{same} })
	push(t, s, "run/a", func(c *store.Commit) { c.Tasks = []store.TaskRow{full} })
	for run, want := range map[string][]store.TaskRow{"a": {full, bare}, "b": {same}, "c": {}} {
		got, err := s.Tasks(t.Context(), run)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("run %s: %v\n%s", run, err, diff)
		}
	}
}

// testSnapshot keeps what it is given: whether its format is one the reader
// knows is the reader's to see.
func testSnapshot(t *testing.T, open Open) {
	s := open(t)
	_, err := s.Snapshot(t.Context(), "run/a")
	wantErr(t, err, store.ErrNotFound)
	for i, format := range []int{7, 11<<32 | 8} {
		want := store.Snapshot{
			Head:   core.Head{Seq: int64(i), Hash: fmt.Sprint("h", i), At: moment(i)},
			Format: format, State: []byte{0, 1, 0xff, byte(format)},
		}
		push(t, s, "run/a", func(c *store.Commit) { c.Snapshot = &want })
		push(t, s, "run/a") // a commit without a snapshot leaves it
		got, err := s.Snapshot(t.Context(), "run/a")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("format %d: %v\n%s", format, err, diff)
		}
	}
}

func testVerdict(t *testing.T, open Open) {
	s := open(t)
	_, err := s.Recall(t.Context(), "tree:check")
	wantErr(t, err, store.ErrNotFound)
	for _, verdict := range []string{`{"passed":false}`, `{"passed":true}`} {
		if err := s.Remember(t.Context(), "tree:check", []byte(verdict)); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Recall(t.Context(), "tree:check"); err != nil || string(got) != verdict {
			t.Errorf("recalled %s, %v, want %s", got, err, verdict)
		}
	}
}

// Equal fails t where two stores do not hold the same: claims, the projections
// of runs, their tasks and projects, and the events of the streams.
func Equal(t *testing.T, a, b store.Store, streams ...string) {
	t.Helper()
	if diff := cmp.Diff(content(t, a, streams), content(t, b, streams)); diff != "" {
		t.Errorf("the stores differ:\n%s", diff)
	}
}

func content(t *testing.T, s store.Store, streams []string) map[string]any {
	t.Helper()
	all := map[string]any{}
	keep := func(name string, v any, err error) {
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = v
	}
	claims, err := s.Claims(t.Context())
	keep("claims", claims, err)
	slots, err := s.Slots(t.Context(), "")
	keep("slots", slots, err)
	runs, err := s.Runs(t.Context(), store.Filter{})
	keep("runs", runs, err)
	for _, r := range runs {
		tasks, err := s.Tasks(t.Context(), r.ID)
		keep("tasks of "+r.ID, tasks, err)
		project, err := s.Project(t.Context(), r.Project)
		keep("project "+r.Project, project, err)
		messages, err := s.Messages(t.Context(), store.MessageFilter{Project: r.Project})
		keep("conversation of "+r.Project, messages, err)
	}
	for _, stream := range streams {
		events, err := s.Events(t.Context(), stream, 0, 0)
		keep("events of "+stream, events, err)
	}
	return all
}
