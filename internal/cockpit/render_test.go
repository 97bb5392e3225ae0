package cockpit

import (
	"strings"
	"testing"
	"time"
)

func rendering(name, text string) rendered {
	c := capped{most: maxShown}
	if _, err := c.Write([]byte(text)); err != nil {
		panic(err)
	}
	return c.render(name)
}

func TestDocumentsAreShownByWhatTheyAre(t *testing.T) {
	if r := rendering("a.md", "# Hi"); !strings.Contains(string(r.HTML), "<h3>Hi</h3>") {
		t.Errorf("Markdown: %+v", r)
	}
	if r := rendering("a.md", "| a | b |\n|---|---|\n"+strings.Repeat("| 1 | 2 |\n", 500)); strings.Count(string(r.HTML), "<td>") != 1000 {
		t.Errorf("a table: %.200s", r.HTML)
	}
	if r := rendering("a.json", `{"a":[1]}`); r.Text != "{\n  \"a\": [\n    1\n  ]\n}" {
		t.Errorf("JSON: %q", r.Text)
	}
	if r := rendering("a.json", `{"a":["]\"}]"]}`); r.Text != "{\n  \"a\": [\n    \"]\\\"}]\"\n  ]\n}" {
		t.Errorf("JSON with brackets in a string: %q", r.Text)
	}
	if r := rendering("a.json", `{"a":`); r.Text != `{"a":` {
		t.Errorf("half of JSON: %q", r.Text)
	}
	for _, binary := range []string{"\x00\x01", "\xff\xfe", "\x89PNG\r\n"} {
		if r := rendering("a.txt", binary); r.Shown() {
			t.Errorf("%q is shown as %+v", binary, r)
		}
	}
	if r := rendering("a.txt", strings.Repeat("ä", maxShown)); !r.Cut || len(r.Text) > maxShown || !strings.HasSuffix(r.Text, "ä") {
		t.Errorf("a long text: %d bytes, cut %v", len(r.Text), r.Cut)
	}
}

// TestDocumentsMadeToBeSlow holds rendering to a bound, whatever an agent hands
// in.
func TestDocumentsMadeToBeSlow(t *testing.T) {
	for name, text := range map[string]string{
		"hidden.json": `{"a":"` + strings.Repeat("]", 9900) + `","b":` + strings.Repeat("[", 9900) + strings.Repeat("]", 9900) + "}",
		"quoted.json": `{"\"]]":"\\\"` + strings.Repeat("}", 9000) + `","b":` + strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000) + "}",
		"wide.json":   strings.Repeat("[", 40) + strings.Repeat("1,", 64_000) + "1" + strings.Repeat("]", 40),
		"deep.json":   strings.Repeat("[", 9000) + strings.Repeat("1,", 50_000) + "1" + strings.Repeat("]", 9000),
		"quotes.md":   strings.Repeat(">", 60_000), "mixed.md": strings.Repeat(">- 1) ", 10_000) + "a", "many.md": strings.Repeat(strings.Repeat("- ", 39)+"a\n", 800), "lists.md": strings.Repeat("- ", 30_000) + "a", "numbers.md": strings.Repeat("1. ", 20_000) + "a", "links.md": strings.Repeat("[", 60_000),
		"stars.md": strings.Repeat("*a_ ", 15_000), "lines.md": strings.Repeat("*a_\n", 15_000), "blocks.md": strings.Repeat(strings.Repeat("*a_ ", 900)+"\n\n", 18), "ticks.md": strings.Repeat("`a", 30_000), "table.md": strings.Repeat("|a", 15_000) + "\n" + strings.Repeat("|-", 15_000),
		"refs.md": strings.Repeat("[a]: b\n", 9000), "stairs.md": stairs(170),
		"rows.md": table(1000, 1000), "tables.md": strings.Repeat(table(100, 200)+"\n", 60),
	} {
		begun := time.Now()
		r := rendering(name, text)
		if took := time.Since(begun); took > 30*time.Second || len(r.HTML) > 4<<20 || len(r.Text) > maxSetOut {
			t.Errorf("%s took %v and has %d bytes", name, took, len(r.HTML)+len(r.Text))
		}
	}
}

// table is one whose rows are all but empty.
func table(columns, rows int) string {
	return strings.Repeat("|a", columns) + "|\n" + strings.Repeat("|-", columns) + "|\n" + strings.Repeat("|\n", rows)
}

// stairs is a list whose items lie ever deeper.
func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", 2*i) + "- x\n")
	}
	return b.String()
}
