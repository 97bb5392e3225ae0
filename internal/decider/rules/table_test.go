package rules

import (
	"os"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheTableIsTheOneInTheDocs: the rules are data, and people read them.
func TestTheTableIsTheOneInTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/rules.md")
	if err != nil {
		t.Fatal(err)
	}
	names := map[move]string{
		moveCode: "code", moveReview: "review", moveFix: "fix", moveMerge: "merge", moveResolve: "resolve",
		movePass: "pass", moveDiscard: "discard", moveRecover: "recover", moveAsk: "ask",
	}
	var want, got [][]string
	for _, r := range table() {
		after := string(r.after)
		if after == "" {
			after = "–"
		}
		want = append(want, []string{after, string(r.ended), names[r.then]})
	}
	for _, m := range regexp.MustCompile("(?m)^\\| (\\S+) \\| ([a-z ]+) \\| `(\\w+)`: ").FindAllStringSubmatch(string(page), -1) {
		got = append(got, m[1:])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("docs/rules.md differs from the table:\n%s", diff)
	}
}
