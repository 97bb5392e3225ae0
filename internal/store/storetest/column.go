package storetest

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// change gives a column another value, one that it did not have before.
func change(t *testing.T, column reflect.Value, n int) {
	t.Helper()
	at := time.Date(2026, 5, 1, 12, n, 0, 0, time.UTC)
	switch column.Interface().(type) {
	case time.Time:
		column.Set(reflect.ValueOf(at))
		return
	case *time.Time:
		column.Set(reflect.ValueOf(&at))
		return
	case time.Duration:
		column.Set(reflect.ValueOf(time.Duration(n) * time.Minute))
		return
	case []byte:
		column.SetBytes(fmt.Appendf(nil, `{"n":%d}`, n))
		return
	}
	switch column.Kind() {
	case reflect.String:
		column.SetString(fmt.Sprint("value ", n))
	case reflect.Int, reflect.Int64:
		column.SetInt(int64(n))
	case reflect.Float64:
		column.SetFloat(float64(n) / 2)
	case reflect.Bool:
		column.SetBool(!column.Bool())
	default:
		t.Fatalf("a column of type %s", column.Type())
	}
}

// eachColumn changes the columns of a row one after the other, but for those that are kept, and calls see after each.
func eachColumn(t *testing.T, row reflect.Value, kept map[string]bool, see func(column string)) {
	t.Helper()
	for i := range row.NumField() {
		if name := row.Type().Field(i).Name; !kept[name] {
			change(t, row.Field(i), i+1)
			see(name)
		}
	}
}

// testColumns: whatever changes in a row of a run, a project or a task is what is read from then on.
func testColumns(t *testing.T, open Open) {
	s := open(t)
	run := store.RunRow{ID: "r1", Project: "p", Status: "active", StartedAt: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC), UpdatedAt: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
	push(t, s, "run/r1", func(c *store.Commit) { c.Run = &run })
	eachColumn(t, reflect.ValueOf(&run).Elem(), map[string]bool{"ID": true}, func(column string) {
		push(t, s, "run/r1", func(c *store.Commit) { c.Run = &run })
		if got, err := s.Run(t.Context(), "r1"); err != nil || !cmp.Equal(run, got) {
			t.Errorf("%s of a run: %s, %v", column, cmp.Diff(run, got), err)
		}
	})
	eachColumn(t, reflect.ValueOf(&run).Elem(), map[string]bool{"ID": true, "Status": true}, func(column string) {
		change(t, reflect.ValueOf(&run).Elem().FieldByName(column), 60) // once more, together with the status
		run.Status = core.RunStatus("with " + column)
		push(t, s, "run/r1", func(c *store.Commit) { c.Run = &run })
		if got, err := s.Run(t.Context(), "r1"); err != nil || !cmp.Equal(run, got) {
			t.Errorf("%s of a run whose status changed too: %s, %v", column, cmp.Diff(run, got), err)
		}
	})
	project := store.ProjectRow{ID: "p1", Status: "active", CreatedAt: moment(0), LastActivity: moment(0)}
	push(t, s, "project/p1", func(c *store.Commit) { c.Project = &project })
	counted := map[string]bool{"ID": true, "TotalTasks": true, "CompletedTasks": true, "FailedTasks": true, "TotalCostUSD": true, "Unpriced": true}
	eachColumn(t, reflect.ValueOf(&project).Elem(), counted, func(column string) {
		push(t, s, "project/p1", func(c *store.Commit) { c.Project = &project })
		if got, err := s.Project(t.Context(), "p1"); err != nil || !cmp.Equal(project, got) {
			t.Errorf("%s of a project: %s, %v", column, cmp.Diff(project, got), err)
		}
	})
	task := store.TaskRow{ID: "r1/t", Run: "r1", Status: "pending", CreatedAt: time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)}
	push(t, s, "run/r1", func(c *store.Commit) { c.Tasks = []store.TaskRow{task} })
	eachColumn(t, reflect.ValueOf(&task).Elem(), map[string]bool{"ID": true, "Run": true, "Status": true}, func(column string) {
		push(t, s, "run/r1", func(c *store.Commit) { c.Tasks = []store.TaskRow{task} })
		if got, err := s.Tasks(t.Context(), "r1"); err != nil || len(got) != 1 || !cmp.Equal(task, got[0]) {
			t.Errorf("%s of a task: %s, %v", column, cmp.Diff([]store.TaskRow{task}, got), err)
		}
	})
	for _, status := range []store.TaskStatus{store.TaskRunning, store.TaskCompleted, store.TaskFailed, store.TaskPending} {
		task.Status = status
		push(t, s, "run/r1", func(c *store.Commit) { c.Tasks = []store.TaskRow{task} })
		if got, err := s.Tasks(t.Context(), "r1"); err != nil || len(got) != 1 || got[0].Status != status {
			t.Errorf("status of a task: %+v, %v", got, err)
		}
	}
}

// testAnyText: what an agent wrote never stands in the way of an event, whatever bytes it is made of.
func testAnyText(t *testing.T, open Open) {
	s := open(t)
	const odd = "a\x00b\xffc"
	push(t, s, "run/r1", func(c *store.Commit) {
		c.Run = &store.RunRow{ID: "r1", Project: "p", Title: odd, Goal: odd, Reason: odd, Status: "active", StartedAt: moment(0), UpdatedAt: moment(0)}
		c.Project = &store.ProjectRow{ID: "p", Name: odd, Status: "active", CreatedAt: moment(0), LastActivity: moment(0)}
		c.Tasks = []store.TaskRow{{ID: "t", Run: "r1", Project: "p", Prompt: odd, Status: store.TaskPending, CreatedAt: moment(0)}}
		c.Messages = []store.MessageRow{{Project: "p", Run: "r1", Seq: 1, Event: "e1", Said: core.Said{Text: odd}, At: moment(0)}}
		c.Conversations = []store.ConversationRow{{ID: "c", Project: "p", Name: odd, CreatedAt: moment(0)}}
		c.Standing = &store.Standing{Project: "p", Name: odd, At: moment(0)}
		c.Progress = &store.Progress{Project: "p", Epic: odd, Reason: odd, Status: "active", At: moment(0)}
	})
	run, err := s.Run(t.Context(), "r1")
	if err != nil || !strings.HasPrefix(run.Title, "a") || !strings.HasSuffix(run.Title, "c") {
		t.Errorf("the run is called %q, %v", run.Title, err)
	}
	if said, err := s.Messages(t.Context(), store.MessageFilter{Project: "p"}); err != nil || len(said) != 1 {
		t.Errorf("said was %+v, %v", said, err)
	}
}
