package cockpit

import (
	"strings"
	"testing"
)

// The plan in a pull request's text is folded, whatever it says itself, and is obeyed nowhere.
func TestThePlanOfAPullRequestIsFolded(t *testing.T) {
	got := string(pullText("Goal\n\n<details>\n<summary>The plan</summary>\n\n````text\n</details>\n<script>x</script>\n````\n\n</details>\n\nCost: unknown\n"))
	for _, want := range []string{
		"<details class=\"other\"><summary>The plan</summary><pre", "&lt;/details&gt;\n&lt;script&gt;x&lt;/script&gt;", "</details><p>Cost: unknown</p>",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.Contains(got, "<script>") || strings.Contains(got, "&lt;details&gt;") {
		t.Error(got)
	}
	for _, text := range []string{"No plan", "\n<details>\n<summary>The plan</summary>\nnever ends"} {
		if got, want := pullText(text), markdown(text); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
