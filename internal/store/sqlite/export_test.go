package sqlite

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// TestEverythingIsCopied: each column of each table is copied to other stores, unless it follows from others.
func TestEverythingIsCopied(t *testing.T) {
	own := []string{
		"closure.other", "closure.reason", // of this database
		"wakes.ready_at",
		"projects.total_tasks", "projects.completed_tasks", "projects.failed_tasks", "projects.total_cost_usd", "projects.unpriced", // by triggers
	}
	copied := map[string]bool{}
	for _, table := range store.Tables() {
		for _, c := range table.Columns {
			copied[table.Name+"."+columnOf(table, c)] = true
		}
	}
	s := openAt(t, filepath.Join(t.TempDir(), "stellwerk.db"), Options{})
	rows, err := s.readers.QueryContext(t.Context(), `SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_xinfo(t.name) c
		WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> 'goose_db_version' ORDER BY 1`)
	must(t, err)
	defer func() { must(t, rows.Close()) }()
	n := 0
	for rows.Next() {
		var column string
		must(t, rows.Scan(&column))
		if n++; copied[column] == slices.Contains(own, column) {
			t.Errorf("%s: copied is %v", column, copied[column])
		}
	}
	must(t, rows.Err())
	if n < len(copied)-10 {
		t.Errorf("only %d columns were found", n)
	}
}
