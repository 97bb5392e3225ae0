package storetest

import (
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// testTotalsFollow: whatever a task or a run was and becomes, its project counts it once and as it is.
func testTotalsFollow(t *testing.T, open Open) {
	s := open(t)
	push(t, s, core.ProjectStream("p"), func(c *store.Commit) {
		c.Project = &store.ProjectRow{ID: "p", Name: "Name", CreatedAt: moment(0), LastActivity: moment(0)}
	})
	tasks, minute := map[string]string{}, 0
	put := func(id, status string, cost float64, unpriced int) {
		t.Helper()
		tasks[id] = status
		minute++
		push(t, s, "run/a", func(c *store.Commit) {
			c.Run = &store.RunRow{ID: "a", Project: "p", Status: "active", CostUSD: cost, Unpriced: unpriced, StartedAt: moment(0), UpdatedAt: moment(minute / 2)}
			c.Tasks = []store.TaskRow{{ID: id, Run: "a", Project: "p", Status: store.TaskStatus(status), CreatedAt: moment(0)}}
		})
		counts := map[string]int{}
		for _, status := range tasks {
			counts[status]++
		}
		got, err := s.Project(t.Context(), "p")
		if err != nil || got.TotalTasks != len(tasks) || got.CompletedTasks != counts["completed"] || got.FailedTasks != counts["failed"] || got.TotalCostUSD != cost || got.Unpriced != unpriced || !got.LastActivity.Equal(moment(minute/2)) {
			t.Errorf("%s is %s, %v spent: %+v, %v; want %d tasks, %v", id, status, cost, got, err, len(tasks), counts)
		}
	}
	statuses := []string{"pending", "running", "completed", "failed"}
	for i, from := range statuses {
		for j, to := range statuses {
			put(from+" to "+to, from, float64(i), j)
			put(from+" to "+to, to, float64(j), i)
		}
	}
	for i, id := range []string{"b", "c"} { // runs of a project that is registered after them
		push(t, s, core.RunStream(id), func(c *store.Commit) {
			c.Run = &store.RunRow{ID: id, Project: "q", Status: "active", CostUSD: 2, Unpriced: 3, StartedAt: moment(0), UpdatedAt: moment(6 - i)}
		})
	}
	push(t, s, core.ProjectStream("q"), func(c *store.Commit) {
		c.Project = &store.ProjectRow{ID: "q", Name: "Late", CreatedAt: moment(0), LastActivity: moment(0)}
	})
	if got, err := s.Project(t.Context(), "q"); err != nil || got.TotalCostUSD != 4 || got.Unpriced != 6 || !got.LastActivity.Equal(moment(6)) {
		t.Errorf("registered late: %+v, %v", got, err)
	}
}
