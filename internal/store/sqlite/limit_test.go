package sqlite

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestLimitsAreCast: SQLite takes the value of a bare parameter after LIMIT into account when it plans a query, and so
// prepares the statement again each time one is bound. A cast hides the value from the planner.
func TestLimitsAreCast(t *testing.T) {
	bare := regexp.MustCompile(`LIMIT\s+(\?|:|@|sqlc\.arg)\S*`)
	for _, pattern := range []string{"queries/*.sql", "*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			must(t, err)
			if found := bare.Find(text); found != nil && filepath.Base(file) != "limit_test.go" {
				t.Errorf("%s: %s: write LIMIT CAST(… AS INTEGER)", file, found)
			}
		}
	}
}
