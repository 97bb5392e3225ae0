package postgres

import (
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestEverythingIsCopied: each column of each table is copied to other stores, unless it follows from others. Objects are copied by
// themselves.
func TestEverythingIsCopied(t *testing.T) {
	own := []string{
		"ledger.one", "ledger.closed", "ledger.other",
		"tasks.id", "tasks.triggered_by_task_id",
		"projects.total_tasks", "projects.completed_tasks", "projects.failed_tasks", "projects.total_cost_usd", "projects.unpriced", // by triggers
	}
	copied := map[string]bool{}
	for _, table := range store.Tables() {
		for _, c := range table.Columns {
			copied[table.Name+"."+c.Name] = true
		}
	}
	s, err := Open(t.Context(), pgtest.Planted(t, "empty", fill), Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	var columns []string
	err = s.pool.QueryRow(t.Context(), `SELECT array_agg(table_name || '.' || column_name) FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
		WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT LIKE 'goose_%' AND table_name NOT IN ('objects', 'object_uploads', 'object_chunks')`).Scan(&columns)
	if err != nil || len(columns) < len(copied) {
		t.Fatalf("%d columns were found, %v", len(columns), err)
	}
	for _, column := range columns {
		if copied[column] == slices.Contains(own, column) {
			t.Errorf("%s: copied is %v", column, copied[column])
		}
	}
}
