package show

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestARunIsLoadedOnceForItsQuestions: a run in waves can ask a hundred, and each
// load copies all of it.
func TestARunIsLoadedOnceForItsQuestions(t *testing.T) {
	var rows []store.MessageRow
	for i := range 5 {
		for _, run := range []string{"0198", "0199"} {
			rows = append(rows, store.MessageRow{Run: run, Project: "p", Said: core.Said{Question: fmt.Sprint("q-", i), Text: "Which?"}})
		}
	}
	var loaded, named []string
	list, err := Questions(rows, func(id string) (*core.Run, error) {
		loaded = append(loaded, id)
		run := inWaves()
		run.Alias = "otter-" + id
		return run, nil
	}, func(project string) (string, error) {
		named = append(named, project)
		return "shop", nil
	})
	if err != nil || len(list) != len(rows) || !slices.Equal(loaded, []string{"0198", "0199"}) || len(named) != 2 {
		t.Fatalf("%d questions, loaded %v, named %v, %v", len(list), loaded, named, err)
	}
	for i, want := range map[int]string{2: "q-1 otter-0198 shop delegation compare true", 7: "q-3 otter-0199 shop the planner false", 9: "q-4 otter-0199 shop the manager false"} {
		q := list[i]
		if got := fmt.Sprint(q.ID, " ", q.Run, " ", q.Project, " ", q.Asker, " ", q.Blocking); got != want {
			t.Errorf("question %d is %q, not %q", i, got, want)
		}
	}
}
