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
	tasks := map[string]string{}
	put := func(id, status string, cost float64, unpriced int) {
		t.Helper()
		tasks[id] = status
		push(t, s, "run/a", func(c *store.Commit) {
			c.Run = &store.RunRow{ID: "a", Project: "p", Status: "active", CostUSD: cost, Unpriced: unpriced, StartedAt: moment(0), UpdatedAt: moment(0)}
			c.Tasks = []store.TaskRow{{ID: id, Run: "a", Project: "p", Status: status, CreatedAt: moment(0)}}
		})
		counts := map[string]int{}
		for _, status := range tasks {
			counts[status]++
		}
		got, err := s.Project(t.Context(), "p")
		if err != nil || got.TotalTasks != len(tasks) || got.CompletedTasks != counts["completed"] || got.FailedTasks != counts["failed"] || got.TotalCostUSD != cost || got.Unpriced != unpriced {
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
}
