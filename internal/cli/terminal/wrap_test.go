package terminal_test

import (
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		line    string
		columns int
		want    string
	}{
		{"one two three", 0, "one two three"},
		{"one two three", 13, "one two three"},
		{"one two three", 12, "one two|three"},
		{"see `stellwerk log x`, or not", 18, "see|`stellwerk log x`,|or not"},
		{"see `stellwerk log x`, or not", 20, "see|`stellwerk log x`,|or not"},
		{"see `a command longer than a line` now", 12, "see|`a command longer than a line`|now"},
		{"an `unclosed quote here", 12, "an `unclosed|quote here"},
		{"https://example.org/a/long/way and on", 10, "https://example.org/a/long/way|and on"},
		{"größe über maß", 10, "größe über|maß"},
		{"日本 日本 日本", 9, "日本 日本|日本"},
	} {
		if got := strings.Join(terminal.Wrap(c.line, c.columns), "|"); got != c.want {
			t.Errorf("%q in %d columns: %q, want %q", c.line, c.columns, got, c.want)
		}
	}
}

// A ref is not broken by the terminal as long as a line can hold it.
func TestHangKeepsNamesWhole(t *testing.T) {
	head, ref := "03:40:07  run started         root      ", "refs/heads/feature/issue-4711-a-rather-long-name-of-a-branch"
	got := terminal.Hang(head, "add a field on "+ref+" from main", 80)
	want := []string{head + "add a field on", strings.Repeat(" ", 80-len(ref)) + ref, strings.Repeat(" ", len(head)) + "from main"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
	if got := terminal.Hang(head, ref, 80); len(got) != 2 || strings.TrimSpace(got[1]) != ref || len(got[1]) != 80 {
		t.Errorf("%q", got)
	}
	if got := terminal.Hang("      ", strings.Repeat("x", 100), 80); len(got) != 1 || got[0] != strings.Repeat("x", 100) {
		t.Errorf("%q", got)
	}
}

func TestHang(t *testing.T) {
	got := strings.Join(terminal.Hang("  next: ", "approve it, or send it back with your words", 30), "\n")
	if want := "  next: approve it, or send it\n        back with your words"; got != want {
		t.Errorf("%q", got)
	}
	long := terminal.Hang(strings.Repeat("p", 40), "several words that need some room of their own", 30)
	for _, line := range long[:len(long)-1] {
		if len(line) < 40+10 {
			t.Errorf("a column of words: %q", long)
		}
	}
	if got := terminal.Hang("  note: ", "piped text is left whole", 0); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
