package manager_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// words are the values of a file's constants whose names begin so.
func words(t *testing.T, file, prefix string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "../../core/"+file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, prefix) {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Kind == token.STRING {
			word, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, word)
		}
		return true
	})
	slices.Sort(found)
	return found
}

// TestTheTablesAreThoseOfTheDocs: what wakes a manager, what it can delegate and
// why it is refused are read by people.
func TestTheTablesAreThoseOfTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/manager.md")
	if err != nil {
		t.Fatal(err)
	}
	delegated := slices.DeleteFunc(words(t, "management.go", "Kind"), func(kind string) bool {
		return slices.Contains([]string{"", "plan", "resolve", "manage", "wave"}, kind)
	})
	for header, want := range map[string][]string{
		"| wake | reason |":       words(t, "turn.go", "Wake"),
		"| code | meaning |":      words(t, "law_manager.go", "Refused"),
		"| kind | what | who |\n": delegated,
	} {
		_, table, found := strings.Cut(string(page), header)
		if !found {
			t.Fatalf("the table %q is gone", header)
		}
		table, _, _ = strings.Cut(table, "\n\n")
		var got []string
		for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(table, -1) {
			got = append(got, m[1])
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("docs/manager.md, %s differs from the code:\n%s", header, diff)
		}
	}
}
