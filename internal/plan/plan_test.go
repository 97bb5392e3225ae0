package plan_test

import (
	"bytes"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plan"
)

const head = "# Goal\n\n## Steps\n\n"

func parse(t testing.TB, text string) *plan.Document {
	t.Helper()
	d, err := plan.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return d
}

func TestParse(t *testing.T) {
	one := core.Step{ID: "1", Title: "One"}
	for _, test := range []struct {
		name, text string
		want       []core.Step
	}{
		{"one step", head + "### [ ] 1. One\n", []core.Step{one}},
		{"no end of line", head + "### [ ] 1. One", []core.Step{one}},
		{"nothing above", "## Steps\n### [ ] 1. One", []core.Step{one}},
		{"byte order mark", "\uFEFF## Steps\n### [ ] 1. One", []core.Step{one}},
		{"section with blanks", "## Steps \t\n### [ ] 1. One", []core.Step{one}},
		{"capital mark", head + "### [X] 1. One\n", []core.Step{{ID: "1", Title: "One", Done: true}}},
		{"wide gaps", head + "###  [x]  1.  One  \n", []core.Step{{ID: "1", Title: "One", Done: true}}},
		{"ids", head + "### [ ] 1.2. A\n### [ ] login-form_2. B. C\n### [ ] X.locks. D", []core.Step{
			{ID: "1.2", Title: "A"}, {ID: "login-form_2", Title: "B. C", After: []string{"1.2"}}, {ID: "X.locks", Title: "D", After: []string{"login-form_2"}}}},
		{"after", head + "### [ ] 1. A\nAfter: 3\n### [ ] 2. B\nAfter: nothing\n### [ ] 3. C\nAfter: 2\n### [ ] 4. D\nAfter: 1,3 , 2\n", []core.Step{
			{ID: "1", Title: "A", After: []string{"3"}}, {ID: "2", Title: "B"}, {ID: "3", Title: "C", After: []string{"2"}},
			{ID: "4", Title: "D", After: []string{"1", "3", "2"}}}},
		{"settings and text", head + "### [ ] 1. One\nRole: dev\nReview: never\nText\n\n  more \n\n", []core.Step{
			{ID: "1", Title: "One", Role: "dev", Review: "never", Text: "Text\n\n  more"}}},
		{"settings apart", head + "### [ ] 1. One\n\nRole: dev\n \t\nReview: always\n\n    code\n", []core.Step{
			{ID: "1", Title: "One", Role: "dev", Review: "always", Text: "    code"}}},
		{"returns", strings.ReplaceAll(head+"### [ ] 1. One\nRole: dev\n\na\nb\n\n## Notes\n", "\n", "\r\n"), []core.Step{
			{ID: "1", Title: "One", Role: "dev", Text: "a\nb"}}},
		{"words with a colon", head + "### [ ] 1. One\n\nNote: well\nSee: https://example.com\nafter: lunch\nRole: of the cache\n- Review: the cache\n", []core.Step{
			{ID: "1", Title: "One", Text: "Note: well\nSee: https://example.com\nafter: lunch\nRole: of the cache\n- Review: the cache"}}},
		{"an address at once", head + "### [ ] 1. One\nhttps://example.com\n", []core.Step{{ID: "1", Title: "One", Text: "https://example.com"}}},
		{"setting in backticks", head + "### [ ] 1. One\n\n`Role: admin`\n", []core.Step{{ID: "1", Title: "One", Text: "`Role: admin`"}}},
		{"deeper headings", head + "### [ ] 1. One\n#### [ ] 2. Two\n", []core.Step{{ID: "1", Title: "One", Text: "#### [ ] 2. Two"}}},
		{"hashes that are no heading", head + "### [ ] 1. One\n\n###[ ] 2. Two\n#tag\n####### x\n", []core.Step{
			{ID: "1", Title: "One", Text: "###[ ] 2. Two\n#tag\n####### x"}}},
		{"sections around", "# A\n\n## Why\n### Reasons\n- [ ] not a step\n\n" + "## Steps\n\nSome words.\n\n### [ ] 1. One\n## Then\n### More\n", []core.Step{one}},
		{"the end at a title", head + "### [ ] 1. One\nT\n# Appendix\nWords\n", []core.Step{{ID: "1", Title: "One", Text: "T"}}},
		{"underlined", head + "### [ ] 1. One\n\nNotes\n-----\nMore\n=======\n", []core.Step{{ID: "1", Title: "One", Text: "Notes\n-----\nMore\n======="}}},
		{"conflict markers, indented", head + "### [ ] 1. One\n\n <<<<<<< ours\n", []core.Step{{ID: "1", Title: "One", Text: " <<<<<<< ours"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := parse(t, test.text)
			if diff := cmp.Diff(test.want, d.Steps()); diff != "" {
				t.Error(diff)
			}
			if !bytes.Equal(d.Bytes(), []byte(test.text)) {
				t.Errorf("changed to %q", d.Bytes())
			}
		})
	}
}

// TestShelter has headings where Markdown sees none.
func TestShelter(t *testing.T) {
	for name, text := range map[string]string{
		"fence":                   "```\n### [ ] 2. Two\n```",
		"fence with words":        "```md title\n## Steps\n```",
		"tildes":                  "~~~ `x`\n### [ ] 2. Two\n```\n### [ ] 3. Three\n~~~~",
		"longer fence":            "````\n```\n### [ ] 2. Two\n```\n````",
		"closed with an indent":   "```\n### [ ] 2. Two\n   ```",
		"not closed by words":     "```\n``` x\n### [ ] 2. Two\n```",
		"not closed so far in":    "```\n    ```\n### [ ] 2. Two\n```",
		"indented fence":          "  ```\n### [ ] 2. Two\n```",
		"comment":                 "<!--\n### [ ] 2. Two\n-->",
		"comment after a comment": "<!-- a -->\n<!-- b\n### [ ] 2. Two\n--> c",
		"preformatted":            "<PRE class=\"x\">\n## Steps\n</pre>",
		"code by indent":          "x\n\n    ### [ ] 2. Two\n\t### [ ] 3. Three",
		"list item":               "- x\n  ### [ ] 2. Two\n\n  ### [ ] 3. Three",
		"numbered item":           "10. x\n\n    ### [ ] 2. Two",
		"fence that is an item":   "- ```\n  ### [ ] 2. Two\n  ```\n- ```\n  ### [ ] 3. Three\n  ```",
		"fence inside an item":    "1. x\n   ```\n   ### [ ] 2. Two\n   ```",
		"quotation":               "> ### [ ] 2. Two\n> ```",
		"an item that goes on":    "- x\ny\n  ### [ ] 2. Two\n\n  ```",
		"nothing in an item":      "- x\n\n  ###",
		"code in a paragraph":     "x\n    ### [ ] 2. Two",
		"processing instruction":  "<?php\n### [ ] 2. Two\n?>",
		"declaration":             "<!DOCTYPE\n### [ ] 2. Two\n>",
	} {
		t.Run(name, func(t *testing.T) {
			got := parse(t, head+"### [ ] 1. One\n\n"+text+"\n\n### [ ] last. Last\n").Steps()
			want := []core.Step{{ID: "1", Title: "One", Text: text}, {ID: "last", Title: "Last", After: []string{"1"}}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestMarkDone(t *testing.T) {
	text := "\uFEFF#### [ ] Goal\r\n\r\n- [ ] mine\r\n\r\n## Steps\r\n### [ ] a. A\r\n- [ ] b\r\n### \t[ ] b. [ ] B\r\n### [X] c. C"
	d := parse(t, text)
	if err := d.MarkDone("a", "nobody"); !errors.Is(err, plan.ErrUnknownStep) || !strings.Contains(err.Error(), `"nobody"`) {
		t.Errorf("got %v", err)
	}
	if string(d.Bytes()) != text || d.Steps()[0].Done {
		t.Error("an error changed something")
	}
	if err := d.MarkDone("b", "c", "b"); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(text, "[ ] b. [ ] B", "[x] b. [ ] B", 1)
	if string(d.Bytes()) != want {
		t.Errorf("got %q", d.Bytes())
	}
	if diff := cmp.Diff(parse(t, want).Steps(), d.Steps()); diff != "" {
		t.Error(diff)
	}
}

// TestHandedOutIsTheCallers changes everything that goes in and comes out.
func TestHandedOutIsTheCallers(t *testing.T) {
	text := []byte(head + "### [ ] 1. One\n### [ ] 2. Two\n")
	want := string(text)
	d := parse(t, want)
	owned, err := plan.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	clear(text)
	clear(owned.Bytes())
	steps := owned.Steps()
	steps[1].After[0] = "x"
	clear(steps)
	if string(owned.Bytes()) != want || !cmp.Equal(owned.Steps(), d.Steps()) {
		t.Errorf("got %q %v", owned.Bytes(), owned.Steps())
	}
}

var docExample = regexp.MustCompile("(?s)````markdown\n(.*?)````")

// TestDocumentedExample reads the plan that docs/plan.md shows.
func TestDocumentedExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/plan.md")
	if err != nil {
		t.Fatal(err)
	}
	match := docExample.FindSubmatch(page)
	if match == nil {
		t.Fatal("the page has no example")
	}
	want := []core.Step{
		{ID: "1", Title: "Table for sign-in links", Role: "backend-developer", Done: true,
			Text: "A link belongs to a person, works once and for 15 minutes. Store only its hash."},
		{ID: "2", Title: "Send the link", After: []string{"1"},
			Text: "`POST /sign-in` takes an address and answers the same whether or not it is known.\n\n```\n### [ ] 9. Not a step: it is inside a code block\n```"},
		{ID: "page", Title: "The page that asks for the address", Role: "frontend-developer", Review: "always"},
		{ID: "3", Title: "The whole way, end to end", After: []string{"2", "page"},
			Text: "- [ ] a link that works\n- [ ] a link that was used before\n- [ ] a link that is too old"},
	}
	if diff := cmp.Diff(want, parse(t, string(match[1])).Steps()); diff != "" {
		t.Error(diff)
	}
}
