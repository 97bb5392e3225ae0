package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWhatShowsThatItHolds: every row of a table with the column "shown by" names what shows it, and all of that exists.
// The fewest rows a page may have keep a table from being overlooked.
func TestWhatShowsThatItHolds(t *testing.T) {
	for page, fewest := range map[string]int{"security.md": 20, "law.md": 60} {
		text, err := os.ReadFile(filepath.Join("..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		rows := 0
		column := -1
		for line := range strings.Lines(string(text)) {
			cells := strings.Split(strings.TrimSpace(line), "|")
			switch at := slices.Index(cells, " shown by "); {
			case len(cells) < 3:
				column = -1
			case at >= 0:
				column = at
			case column >= 0 && !strings.HasPrefix(line, "|--"):
				rows++
				if len(cells) <= column {
					t.Errorf("%s: too few columns: %s", page, line)
					continue
				}
				for _, problem := range unshown(cells[column]) {
					t.Errorf("%s:%s: %s", page, cells[1], problem)
				}
			}
		}
		if rows < fewest {
			t.Errorf("%s has %d rows that say what shows them, want %d at least", page, rows, fewest)
		}
	}
}

var quoted = regexp.MustCompile("`([^`]+)`")

// unshown says what is wrong with a cell that names scenarios, files, packages, and tests as package.TestName.
func unshown(cell string) (problems []string) {
	names := quoted.FindAllStringSubmatch(cell, -1)
	if len(names) == 0 {
		return []string{"nothing shows that this holds"}
	}
	for _, name := range names {
		_, isFile := os.Stat(filepath.Join("..", name[1]))
		_, isScenario := os.Stat(filepath.Join("testdata", name[1]+".txtar"))
		if isFile != nil && isScenario != nil && !isTest(name[1]) {
			problems = append(problems, name[1]+" does not exist")
		}
	}
	return problems
}

// isTest reports that a package below internal has a test of this name.
func isTest(name string) bool {
	folder, test, named := strings.Cut(name, ".Test")
	files, err := filepath.Glob(filepath.Join("..", "internal", folder, "*_test.go"))
	if !named || err != nil {
		return false
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "\nfunc Test"+test+"(")
	})
}

// TestWhatDoesNotShowIt: a name that is only half there counts for nothing.
func TestWhatDoesNotShowIt(t *testing.T) {
	for cell, problems := range map[string]int{
		" `run_lie`, `core.TestEachClauseOfTheLaw`, `internal/resource` ": 0,
		" ": 1, " run_lie ": 1, " `no_such_scenario` ": 1, " `core.TestEachClause` ": 1, " `engine.TestEachClauseOfTheLaw`, `run_lie` ": 1,
	} {
		if got := unshown(cell); len(got) != problems {
			t.Errorf("%q: %q", cell, got)
		}
	}
}
