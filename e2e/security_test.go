package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestWhatShowsThatAWallHolds: every row of the table of docs/security.md names what shows it, and all of that exists.
func TestWhatShowsThatAWallHolds(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(text), "| asset |")
	table, _, _ = strings.Cut(table, "\n\n")
	name := regexp.MustCompile("`([^`]+)`")
	rows := strings.Split(table, "\n")[2:]
	for _, row := range rows {
		cells := strings.Split(row, "|")
		if len(cells) != 7 {
			t.Errorf("%d columns: %s", len(cells)-2, row)
			continue
		}
		shown := name.FindAllStringSubmatch(cells[4], -1)
		if len(shown) == 0 {
			t.Errorf("nothing shows that this holds:%s", cells[1])
		}
		for _, by := range shown {
			_, isFile := os.Stat(filepath.Join("..", by[1]))
			_, isScenario := os.Stat(filepath.Join("testdata", by[1]+".txtar"))
			if isFile != nil && isScenario != nil {
				t.Errorf("%s does not exist", by[1])
			}
		}
	}
	if len(rows) < 10 {
		t.Errorf("the table has %d rows", len(rows))
	}
}
