package app_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/stellwerk-dev/stellwerk/internal/api"
	"github.com/stellwerk-dev/stellwerk/internal/app"
	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite"
)

// taskTable reads the tasks of the booth's run as another program would.
func (b *booth) taskTable(state string) map[string]store.TaskRow {
	b.t.Helper()
	s, err := sqlite.Open(b.t.Context(), filepath.Join(state, "stellwerk.db"), sqlite.Options{})
	if err != nil {
		b.t.Fatal(err)
	}
	rows, err := s.Tasks(b.t.Context(), b.run.ID)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.t.Fatal(err)
	}
	table := map[string]store.TaskRow{}
	for _, row := range rows {
		table[strings.TrimPrefix(row.ID, b.run.ID+"/")] = row
	}
	return table
}

// TestTheTasksTableSaysWhoWantedWhat: a manager delegates, the work ends and wakes
// it again. Each row tells who made it, for whom, of what it came and what became
// of it; rebuilt from the run's folder, the rows are the same.
func TestTheTasksTableSaysWhoWantedWhat(t *testing.T) {
	t.Parallel()
	b := newBooth(t)
	boss := b.planned()
	if _, err := b.app.Service.Delegate(boss, b.run.ID, core.Proposal{Prompt: "write hello.txt"}); err != nil {
		t.Fatal(err)
	}
	b.ends(boss)
	work := b.detail()
	b.until(0, "the start of the work", func(body core.Body) bool {
		started, ok := body.(core.AttemptStarted)
		return ok && started.Attempt == "t1.r1.a1"
	})
	b.ends(b.agent("t1.r1.a1"))
	boss, _ = b.turns(2)
	b.ends(boss)
	if _, err := b.app.Service.Cancel(b.person(), b.run.ID, api.Cancel{}); err != nil { // nothing is to begin elsewhere
		t.Fatal(err)
	}
	got := b.taskTable(b.state)
	boss1, done, boss2 := got["manager.r1"], got["t1.r1"], got["manager.r2"]

	mgr := "project-mgr-" + b.run.Project
	for name, c := range map[string]struct{ got, want string }{
		"turn's addressee":    {boss1.Addressee, mgr},
		"turn's creator":      {boss1.CreatedBy, "me"},
		"turn's prompt":       {boss1.Prompt, "epic"},
		"turn's trigger":      {boss1.TriggeredBy, ""},
		"next turn's creator": {boss2.CreatedBy, "engine"},
		"work's creator":      {done.CreatedBy, mgr},
		"work's prompt":       {done.Prompt, "write hello.txt"},
		"work's repository":   {done.RepoURL, filepath.Join(b.dir, ".git")},
		"work's status":       {string(done.Status), "completed"},
		"work's branch":       {done.Branch, work.Branch + "-t1-1"},
		"next turn's cause":   {boss2.TriggeredBy, done.ID},
		"next turn's status":  {string(boss2.Status), "completed"},
	} {
		if c.got != c.want {
			t.Errorf("%s is %q, not %q", name, c.got, c.want)
		}
	}
	if id, found := strings.CutPrefix(done.Addressee, "worker-code-"); !found || uuid.Validate(id) != nil {
		t.Errorf("the work's addressee is %q", done.Addressee)
	}
	if !strings.HasPrefix(boss2.Prompt, "task t1 done") {
		t.Errorf("the second turn's prompt is %q", boss2.Prompt)
	}
	var result struct {
		Success  bool
		Commit   string
		Duration int64 `json:"duration_ms"`
	}
	if err := json.Unmarshal(done.Result, &result); err != nil || !result.Success || result.Commit == "" || result.Duration <= 0 {
		t.Errorf("the result is %s (%v)", done.Result, err)
	}
	for id, row := range got {
		if row.StartedAt == nil || row.CompletedAt == nil || row.CreatedAt.IsZero() || row.CreatedAt.After(*row.StartedAt) || row.StartedAt.After(*row.CompletedAt) {
			t.Errorf("%s: made at %s, begun at %v, over at %v", id, row.CreatedAt, row.StartedAt, row.CompletedAt)
		}
	}
	if diff := cmp.Diff(got, b.rebuilt()); diff != "" {
		t.Errorf("rebuilt, the rows differ:\n%s", diff)
	}
}

// rebuilt are the rows that another state folder makes of the run's own.
func (b *booth) rebuilt() map[string]store.TaskRow {
	b.t.Helper()
	state := b.t.TempDir()
	other, err := app.Open(b.person(), app.Options{State: state, Version: "test"})
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := other.Service.Import(b.person(), api.Import{Folder: b.detail().Folder, Trust: true}); err != nil {
		b.t.Error(err)
	}
	if err := other.Close(); err != nil {
		b.t.Fatal(err)
	}
	return b.taskTable(state)
}
