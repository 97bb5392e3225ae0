package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/plan"
)

// pieces are lines of which plans are made, and of which they are made badly.
var pieces = []string{
	"## Steps", "# Goal", "## Notes", "### [ ] 1. One", "### [x] 2. Two", "### [ ] 3. Three", "### [ ] a.b. Four", "### Heading", "#### [ ] 5. Deep",
	" ### [ ] 6. Indented", "### [ ] No id", "## [ ] 7. Wide", "After: 1", "After: nothing", "After: 1, 2", "Role: dev", "Review: always", "- Role: dev", "Note: x",
	"**After:** 2", "depends on: 1", "```", "````go", "~~~", "   ```", "<!--", "-->", "<pre>", "</pre>", "<div>", "<b>", "<?x", "<!A", "- item", "- ```", "1. item", "  ```", "  words", "    code", "\tcode", "    Role: dev", "  ###",
	"<<<<<<< ours", "=======", ">>>>>>> theirs", "||||||| base", "> quoted", "", " ", "words", "- [ ] task", "\\### [ ] 8. Escaped", "\x1b[31m", "\u202e", "---", "* * *",
}

// drawLines draws text made of such lines, with either line end, or of anything.
func drawLines(t *rapid.T, label string) string {
	line := rapid.OneOf(rapid.SampledFrom(pieces), rapid.SampledFrom(pieces), rapid.StringN(0, 20, -1))
	end := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\r"})
	var b strings.Builder
	for range rapid.IntRange(0, 14).Draw(t, label) {
		b.WriteString(line.Draw(t, "line") + end.Draw(t, "end"))
	}
	return b.String()
}

// drawSteps draws steps that are in order but for their texts, which are given.
func drawSteps(t *rapid.T, text func() string) []core.Step {
	var steps []core.Step
	var ids []string
	for i := range rapid.IntRange(1, 8).Draw(t, "steps") {
		s := core.Step{
			ID:     fmt.Sprintf("%s%d", rapid.SampledFrom([]string{"", "a-", "B.", "step_"}).Draw(t, "id"), i),
			Title:  rapid.StringMatching(`[A-Za-z#\[`+"`"+`äß€(][ -~äß€]{0,30}[!-~]`).Draw(t, "title"),
			Text:   text(),
			Role:   rapid.SampledFrom([]string{"", "dev", "backend-developer"}).Draw(t, "role"),
			Review: rapid.SampledFrom([]string{"", "always", "never"}).Draw(t, "review"),
			Done:   rapid.Bool().Draw(t, "done"),
		}
		for _, id := range ids {
			if rapid.Bool().Draw(t, "after") {
				s.After = append(s.After, id)
			}
		}
		steps, ids = append(steps, s), append(ids, s.ID)
	}
	return steps
}

func TestRenderedIsReadAsItWas(t *testing.T) {
	words := rapid.StringMatching(`([A-Z][a-z äß€.*_` + "`" + `]{0,30}\n){0,3}(\n(- \[ \] [a-z]+\n)(  more\n)?|\n#### More\n|\n` + "```\n### \\[ \\] 1\\. No\n```" + `\n){0,2}\n?`)
	rapid.Check(t, func(rt *rapid.T) {
		steps := drawSteps(rt, func() string { return strings.Trim(words.Draw(rt, "text"), " \n") })
		out := plan.Render(drawLines(rt, "goal"), steps)
		d, err := plan.Parse(out)
		if err != nil {
			rt.Fatalf("%v\n%s", err, out)
		}
		if diff := cmp.Diff(steps, d.Steps()); diff != "" {
			rt.Fatalf("%s\n%s", diff, out)
		}
	})
}

// TestRenderedTextIsText holds that no text of a step or goal becomes a part of the plan's form, and that rendering
// what was read changes nothing any more.
func TestRenderedTextIsText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		goal, steps := drawLines(rt, "goal"), drawSteps(rt, func() string { return drawLines(rt, "text") })
		out := plan.Render(goal, steps)
		d, err := plan.Parse(out)
		if err != nil {
			rt.Fatalf("%v\n%s", err, out)
		}
		got := d.Steps()
		again := plan.Render(goal, got)
		if string(again) != string(out) {
			rt.Fatalf("%q\nand again\n%q", out, again)
		}
		for i := range got {
			got[i].Text = steps[i].Text
		}
		if diff := cmp.Diff(steps, got); diff != "" {
			rt.Fatalf("%s\n%s", diff, out)
		}
	})
}

func TestMarkDoneChangesCheckboxesOnly(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := string(plan.Render(drawLines(rt, "goal"), drawSteps(rt, func() string { return drawLines(rt, "text") })))
		if rapid.Bool().Draw(rt, "returns") {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		if rapid.Bool().Draw(rt, "cut") {
			text = strings.TrimRight(text, "\r\n")
		}
		text = rapid.SampledFrom([]string{"", "\uFEFF"}).Draw(rt, "mark") + text + rapid.SampledFrom([]string{"", "\n## Notes\n\n- [ ] mine"}).Draw(rt, "more")
		holds(rt, text, func(id string) bool { return rapid.Bool().Draw(rt, "mark "+id) })
	})
}

type failer interface{ Fatalf(string, ...any) }

// holds parses text, marks some steps and compares every byte. It reports whether the text is a plan.
func holds(t failer, text string, choose func(id string) bool) bool {
	d, err := plan.Parse([]byte(text))
	if err != nil {
		return false
	}
	want := d.Steps()
	var ids []string
	flips := 0
	for i, s := range want {
		if choose(s.ID) {
			ids = append(ids, s.ID)
			if !s.Done {
				flips++
			}
			want[i].Done = true
		}
	}
	if err := d.MarkDone(ids...); err != nil {
		t.Fatalf("%v", err)
	}
	after := string(d.Bytes())
	if len(after) != len(text) {
		t.Fatalf("%q became %q", text, after)
	}
	for i := range len(text) {
		if text[i] == after[i] {
			continue
		}
		if flips--; text[i-1:i+2] != "[ ]" || after[i] != 'x' {
			t.Fatalf("byte %d of %q became %q", i, text, after[i])
		}
	}
	again, err := plan.Parse([]byte(after))
	if err != nil || flips != 0 || !cmp.Equal(want, again.Steps()) || !cmp.Equal(want, d.Steps()) {
		t.Fatalf("%q became %q: %d boxes differ, %v", text, after, flips, err)
	}
	return true
}

// TestEveryStepIsSeen holds that a plan that is accepted has no line left that a person would take for a step.
func TestEveryStepIsSeen(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := "## Steps\n" + drawLines(rt, "plan")
		d, err := plan.Parse([]byte(text))
		if err != nil || strings.ContainsAny(text, "`~<") || strings.Contains(text, "item") {
			return // refused, or with places for what only looks like a step
		}
		ids := []string{}
		for line := range strings.Lines(text) {
			if rest, ok := strings.CutPrefix(line, "### ["); ok {
				ids = append(ids, strings.TrimSuffix(strings.Fields(rest[2:])[0], "."))
			}
		}
		got := []string{}
		for _, s := range d.Steps() {
			got = append(got, s.ID)
		}
		if !slices.Equal(ids, got) {
			rt.Fatalf("%q has %q, seen were %q", text, ids, got)
		}
	})
}

// FuzzParse holds that no file makes the reader panic, that what is accepted comes out as it went in, and that its
// steps can be written anew.
func FuzzParse(f *testing.F) {
	f.Add([]byte(head + "### [ ] 1. One\nRole: dev\n\nText\n### [x] 2. Two\nAfter: nothing\n"))
	f.Add([]byte("\uFEFF## Steps\r\n### [ ] 1. One\r\n```\r\n### [ ] 2.\r\n```"))
	f.Add([]byte(head + "### [ ] 1. One\nAfter: 2\n### [ ] 2. Two\n"))
	f.Add([]byte(strings.Join(pieces, "\n")))
	f.Fuzz(func(t *testing.T, text []byte) {
		if !holds(t, string(text), func(id string) bool { return len(id)%2 == 1 }) {
			return
		}
		steps := parse(t, string(text)).Steps()
		out := plan.Render(string(text), steps)
		d, err := plan.Parse(out)
		if err != nil {
			if len(out) > plan.MaxBytes {
				return
			}
			t.Fatalf("%v\n%s", err, out)
		}
		if diff := cmp.Diff(steps, d.Steps()); diff != "" {
			t.Fatalf("%s\n%s", diff, out)
		}
	})
}
