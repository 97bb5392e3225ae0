package plan_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/plan"
)

// TestBad has, for each plan that is refused, everything that is said about it.
func TestBad(t *testing.T) {
	const one = head + "### [ ] 1. One\n" // the step is in line 5
	for _, test := range []struct {
		name, text string
		kind       error
		want       []string
	}{
		{"empty", "", plan.ErrNoSection, []string{"the plan has no section for its steps; add a line `## Steps` and below it the steps, as in `### [ ] 1. Title`"}},
		{"no section", "# Plan\n\nDo it.\n", plan.ErrNoSection, []string{"the plan has no section"}},
		{"section too deep", "# Plan\n\n### Steps\n", plan.ErrNoSection, []string{"line 3: this heading does not begin the section of the steps; write it as `## Steps`"}},
		{"section with a colon", "## Steps:\n", plan.ErrNoSection, []string{"line 1: this heading"}},
		{"section in a fence", "```\n## Steps\n### [ ] 1. One\n```\n", plan.ErrNoSection, []string{"the plan has no section"}},
		{"no steps", head + "Soon.\n", plan.ErrNoSteps, []string{"line 3: there are no steps under `## Steps`; add some, as in `### [ ] 1. Title`"}},
		{"list for steps", head + "- [ ] One\n1. [x] Two\n", plan.ErrNoSteps, []string{
			"line 3: there are no steps", `line 5: a list item with a checkbox is not a step: "- [ ] One"; write steps as headings`, `line 6: a list item`}},
		{"two sections", one + "## Steps\n### [ ] 2. Two\n", plan.ErrInvalid, []string{"line 6: a second section `## Steps`; the first is in line 3; put all steps into one of them"}},

		{"latin", head + "### [ ] 1. Caf\xe9\n", plan.ErrNotText, []string{"line 5: byte 32 is not valid UTF-8; save the file as UTF-8"}},
		{"zero byte", one + "a\x00b", plan.ErrNotText, []string{"line 6: byte 34 is NUL; remove it"}},
		{"return in a line", one + "\r\na\r### [ ] 2. Two\n", plan.ErrNotText, []string{"line 7: the line contains a carriage return"}},
		{"return at the end", one + "a\r", plan.ErrNotText, []string{"line 6: the line contains a carriage return"}},
		{"conflict", head + "<<<<<<< HEAD\r\n### [ ] 1. One\r\n||||||| base\r\n=======\r\n### [ ] 1. Uno\r\n>>>>>>> theirs\r\n", plan.ErrConflict, []string{
			`line 5: "<<<<<<< HEAD" is a conflict marker; keep what should stay`, `line 7: "||||||| base"`, `line 10: ">>>>>>> theirs"`}},
		{"half a conflict in a fence", one + "```\n>>>>>>>\n```\n", plan.ErrConflict, []string{`line 7: ">>>>>>>" is a conflict marker`}},

		{"no checkbox", head + "### 1. One\n", plan.ErrInvalid, []string{"line 5: a heading of this level under `## Steps` is a step, and this one has no checkbox: \"1. One\""}},
		{"odd checkbox", head + "### [-] 1. One\n### [] 2. Two\n", plan.ErrInvalid, []string{"line 5: a heading of this level", "line 6: a heading of this level"}},
		{"no id", head + "### [ ] Do it\n### [ ] 2) Two\n### [ ]\n### [ ] . Four\n", plan.ErrInvalid, []string{
			"line 5: the step has no id: \"[ ] Do it\"; write it as `### [ ] 1. Title`: the id, a dot, a space, the title", "line 6: the step has no id", "line 7: the step has no id", "line 8: the step has no id"}},
		{"no title", head + "### [ ] 1.\n", plan.ErrInvalid, []string{"line 5: step 1 has no title; write one after the id"}},
		{"long title", head + "### [ ] 1. " + strings.Repeat("ä", plan.MaxTitle+1), plan.ErrInvalid, []string{"line 5: the title of step 1 is longer than 200 characters"}},
		{"title for a terminal", head + "### [ ] 1. a\x1b[31mb\n", plan.ErrInvalid, []string{`line 5: the title of step 1 contains a control character: "a\x1b[31mb"; remove it`}},
		{"ids", head + "### [ ] a..b. T\n### [ ] a.lock. T\n### [ ] b.LOCK. T\n### [ ] -a. T\n### [ ] a/b. T\n### [ ] ä. T\n### [ ] " + strings.Repeat("a", 33) + ". T\n### [ ] Nothing. T\n### [ ] c... T\n",
			plan.ErrInvalid, []string{
				`line 5: the id "a..b" cannot be part of a branch's name`, `line 6: the id "a.lock" cannot`, `line 7: the id "b.LOCK" cannot`,
				`line 8: the id "-a" does not begin`, `line 9: the id "a/b" has a character`, `line 10: the id "ä" has a character`,
				`line 11: the id "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" is too long`, `line 12: the id "Nothing" means that a step comes after no other`, `line 13: the id "c.." cannot`}},
		{"same id", one + "### [ ] a. A\n### [ ] 1. Uno\n### [ ] A. B\n", plan.ErrInvalid, []string{
			`line 7: the id "1" is taken by the step in line 5; give one of them another`,
			`line 8: the id "A" differs from that of the step in line 6 only in capitals, and so would their branches`}},

		{"outside", "### [ ] 0. Early\n" + one + "## Later\n### [ ] 2. Two\n### [x] And more\n", plan.ErrInvalid, []string{
			"line 1: the step \"### [ ] 0. Early\" is not under `## Steps`; move it there, or remove its checkbox if it is none", "line 8: the step \"### [ ] 2. Two\" is not", "line 9: the step \"### [x] And more\" is not"}},
		{"wrong level", one + "## [ ] 2. Two\n### [ ] 3. Three\nAfter: 2\n# [x] 4. Four\n", plan.ErrInvalid, []string{
			"line 6: the step's heading has 2 # in place of 3; write it as in `### [ ] 1. Title`", "line 9: the step's heading has 1 # in place of 3"}},
		{"indented", " ## Steps\n\n" + one + " ### [ ] 2. Two\n   # Notes\n## More\n ### Words\n  # [ ] 3. Three\n", plan.ErrInvalid, []string{
			`line 1: the heading "## Steps" is indented; begin it at the start of the line, or give it four # or more`, `line 8: the heading "### [ ] 2. Two" is indented`,
			`line 9: the heading "# Notes" is indented`, `line 12: the heading "# [ ] 3. Three" is indented`}},
		{"open fence", one + "```go\n### [ ] 2. Two\n", plan.ErrInvalid, []string{"line 6: this block is never closed, so no step below it would be seen; close it with a line \"```\""}},
		{"open comment", one + "\n<!-- for later\n### [ ] 2. Two\n", plan.ErrInvalid, []string{`line 7: this block is never closed, so no step below it would be seen; close it with a line "-->"`}},
		{"open script", one + "\n<SCRIPT>\n### [ ] 2. Two\n", plan.ErrInvalid, []string{`line 7: this block is never closed, so no step below it would be seen; close it with a line "</script>"`}},
		{"open instruction", one + "\n<?php\n### [ ] 2. Two\n", plan.ErrInvalid, []string{`line 7: this block is never closed, so no step below it would be seen; close it with a line "?>"`}},
		{"swallowed by HTML", one + "<div>\n### [ ] 2. Two\n  ## Notes\n#### More\n</div>\n### Why\n", plan.ErrInvalid, []string{
			`line 7: the heading "### [ ] 2. Two" is part of the HTML above it; put an empty line above it, or give it four # or more`,
			`line 8: the heading "## Notes" is part of the HTML above it`, `line 11: the heading "### Why" is part of the HTML above it`}},

		{"unknown setting", one + "Priority: high\nRole: dev\nDue date: soon\n", plan.ErrInvalid, []string{
			`line 6: there is no setting "Priority"; there are After, Role and Review; correct it, or put an empty line above it if it is text`, `line 8: there is no setting "Due date"`}},
		{"settings dressed up", one + "- After: nothing\n**Role:** dev\nreview: never\nDepends on: 2\n", plan.ErrInvalid, []string{
			"line 6: \"- After: nothing\" is not written like a setting; write `After: nothing`", "line 7: \"**Role:** dev\" is not written like a setting; write `Role: dev`",
			"line 8: \"review: never\" is not written like a setting; write `Review: never`", "line 9: \"Depends on: 2\" is not written like a setting; write `After: 2`"}},
		{"settings too late", one + "### [ ] 2. Two\nWords.\n\nAfter: nothing\n* **Role**: dev\n\nDepends on: 1\nReview: never\n```\nReview: never\n```\n", plan.ErrInvalid, []string{
			"line 9: `After: nothing` has no effect in the text of step 2; put it directly below the step's heading, or in backticks if it is text",
			"line 10: `Role: dev` has no effect", "line 12: `After: 1` has no effect", "line 13: `Review: never` has no effect"}},
		{"values", one + "After:\nRole: The Dev\nReview: maybe\n", plan.ErrInvalid, []string{
			"line 6: After is empty; name the steps that come before, as in `After: 1, 2`, or write `After: nothing`",
			`line 7: "The Dev" is not the name of a role`, `line 8: "maybe" does not say whether the step is reviewed; write`}},
		{"twice", one + "Role: a\nRole: b\n", plan.ErrInvalid, []string{"line 7: step 1 has Role twice; keep one of them"}},
		{"after whom", head + "### [ ] 1. One\nAfter: 7, step B., , none\n### [ ] b. B\nAfter: b\n### [ ] c. C\nAfter: 1, 1\n### [ ] d. D\nAfter: nothing, 1\n", plan.ErrInvalid, []string{
			"line 6: After names \"7\", which is not a step of the plan; use the ids of steps, separated by commas, as in `After: 1, 2`",
			"line 6: After names \"step B.\", which is not a step of the plan; write `b`", "line 6: After names \"\"", "line 6: After names \"none\", which is not a step of the plan; separate ids",
			"line 8: step b comes after itself; name other steps, or write `After: nothing`", `line 10: After names "1" twice; name it once`, `line 12: After names "nothing"`}},
		{"circle", head + "### [ ] 0. Zero\n### [ ] 1. One\nAfter: 0, 3\n### [ ] 2. Two\n### [ ] 3. Three\nAfter: 2\n", plan.ErrInvalid, []string{
			"line 6: 3 steps wait for each other: 1 after 3 after 2 after 1 (without After, a step comes after the one above it; here: 2); change After of one of them"}},
		{"no circle of two with one id", head + "### [ ] 1. A\nAfter: 2\n### [ ] 1. B\nAfter: nothing\n### [ ] 2. C\n", plan.ErrInvalid, []string{`line 7: the id "1" is taken`}},
		{"two circles", head + "### [ ] 1. A\nAfter: 2\n### [ ] 2. B\nAfter: 1\n### [ ] 3. C\nAfter: 1, 4\n### [ ] 4. D\nAfter: 3, 9\n", plan.ErrInvalid, []string{
			"line 5: 2 steps wait for each other: 1 after 2 after 1; change", "line 9: 2 steps wait for each other: 3 after 4 after 3; change", "line 12: After names \"9\""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			d, err := plan.Parse([]byte(test.text))
			var bad *plan.Error
			if d != nil || !errors.As(err, &bad) || !errors.Is(err, test.kind) {
				t.Fatalf("got %v", err)
			}
			got := strings.Split(err.Error(), "\n")
			if len(got) != len(test.want) {
				t.Fatalf("got %d problems:\n%v", len(got), err)
			}
			for i, want := range test.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("got  %s\nwant %s", got[i], want)
				}
			}
		})
	}
}

func TestLimits(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		b.WriteString(head)
		for i := range n {
			fmt.Fprintf(&b, "### [ ] %d. T\n", i)
		}
		return b.String()
	}
	text := func(n int) string { return head + "### [ ] 1. T\n" + strings.Repeat("x", n) + "\n\n" }
	size := func(n int) string { return many(1) + "## Notes\n" + strings.Repeat("x", n-len(many(1))-9) }
	for name, at := range map[string]struct {
		fits, over, says string
	}{
		"steps": {many(plan.MaxSteps), many(plan.MaxSteps + 1), "line 1005: the plan has 1001 steps, at most 1000 are read"},
		"text":  {text(plan.MaxText), text(plan.MaxText + 1), "line 5: step 1 has 32769 bytes of text, at most 32768 are read"},
		"bytes": {size(plan.MaxBytes), size(plan.MaxBytes + 1), "the plan has 1048577 bytes, at most 1048576 are read"},
	} {
		parse(t, at.fits)
		if _, err := plan.Parse([]byte(at.over)); !errors.Is(err, plan.ErrTooLarge) || !strings.HasPrefix(err.Error(), at.says) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestErrorsAreBounded has plans that are wrong in every line.
func TestErrorsAreBounded(t *testing.T) {
	circle := head + "### [ ] 0. T\nAfter: 999\n"
	for i := range plan.MaxSteps - 1 {
		circle += fmt.Sprintf("### [ ] %d. T\n", i+1)
	}
	for _, text := range []string{
		head + strings.Repeat("### "+strings.Repeat("ä", 100)+"\n", 4000),
		head + strings.Repeat("### [ ] "+strings.Repeat("\x1b", 100)+". T\n", 4000),
		head + strings.Repeat("### [ ] 1. T\n"+strings.Repeat("Words: x\n", 20), 500),
		strings.Repeat("<<<<<<< "+strings.Repeat("x", 100)+"\n", 4000),
		head + "### [ ] 1. T\nAfter: " + strings.Repeat("x,", 100_000) + "\n",
		head + "### [ ] 1. T\n" + strings.Repeat("> ", 400_000), // quotations inside each other would take minutes
		head + "### [ ] 1. T\n" + strings.Repeat("- ", 400_000),
		circle,
	} {
		_, err := plan.Parse([]byte(text))
		if err == nil || len(err.Error()) > 8<<10 {
			t.Errorf("got %d bytes", len(fmt.Sprint(err)))
		}
	}
}

// TestDocumentedErrors holds the page to what is really said.
func TestDocumentedErrors(t *testing.T) {
	page, err := os.ReadFile("../../docs/plan.md")
	if err != nil {
		t.Fatal(err)
	}
	_, err = plan.Parse([]byte(head + "### [ ] 2. A\n\nText.\n\n### [ ] 2. B\n\n### [ ] 3. C\nPriority: 1\n\n### [ ] 4. D\nAfter: 7\n"))
	if err == nil || !strings.Contains(string(page), "```\n"+err.Error()+"\n```") {
		t.Errorf("the page does not show\n%v", err)
	}
}
