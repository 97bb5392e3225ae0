package naming

import (
	"testing"
)

// A title is read in tabs, lists and pull requests, which are no Markdown.
func TestTitlesAreWithoutMarks(t *testing.T) {
	for goal, want := range map[string]string{
		"Add a **sub** function\n\nwith tests":      "Add a sub function",
		"# Add `sub()` to *lib.sh* #":               "Add sub() to lib.sh",
		"- [ ] Look at [the docs](https://x.org/a)": "Look at the docs",
		"1. ~~Drop~~ keep _it_, please":             "Drop keep it, please",
		"> **Bold *and* more**":                     "Bold and more",
		"Compute 2*3*4 in __init__ of snake_case_x": "Compute 2*3*4 in __init__ of snake_case_x",
		"C# and a * b * c":                          "C# and a * b * c",
		"**":                                        "**",
		"#7 is broken":                              "#7 is broken",
	} {
		if got := Title("", goal); got != want {
			t.Errorf("%q is called %q, want %q", goal, got, want)
		}
	}
	if got := Title("**as I say**", "x"); got != "**as I say**" {
		t.Errorf("a title that was given is %q", got)
	}
}
