package terminal_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stellwerk-dev/stellwerk/internal/cli/terminal"
)

func TestClean(t *testing.T) {
	cases := []struct{ name, in, line, text string }{
		{"plain", "go test ./...", "go test ./...", "go test ./..."},
		{"letters and emoji", "größer 👩‍🚀 日本", "größer 👩‍🚀 日本", "größer 👩‍🚀 日本"},
		{"colour", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`, `\x1b[31mred\x1b[0m`},
		{"title", "\x1b]0;owned\x07", `\x1b]0;owned\x07`, `\x1b]0;owned\x07`},
		{"C1 introducer", "\u009b2J", `\x9b2J`, `\x9b2J`},
		{"raw C1 byte", "a\x9b2J", `a\x9b2J`, `a\x9b2J`},
		{"overwrite", "bad\rgood", "bad good", `bad\x0dgood`},
		{"lines", "a\r\nb\n\tc", "a  b  c", "a\nb\n\tc"},
		{"backspace", "a\b\x7fb", `a\x08\x7fb`, `a\x08\x7fb`},
		{"bidi", "user\u202enimda\u2066x\u2069", `user\u202enimda\u2066x\u2069`, `user\u202enimda\u2066x\u2069`},
		{"hidden", "a\u200bb\ufeffc\u00add", `a\u200bb\ufeffc\xadd`, `a\u200bb\ufeffc\xadd`},
		{"tags", "a\U000e0041", `a\U000e0041`, `a\U000e0041`},
		{"separators", "a\u2028b", `a\u2028b`, `a\u2028b`},
		{"replacement", "a\ufffdb", "a\ufffdb", "a\ufffdb"},
	}
	for _, c := range cases {
		if got := terminal.Line(c.in); got != c.line {
			t.Errorf("%s: line %q, want %q", c.name, got, c.line)
		}
		if got := terminal.Text(c.in); got != c.text {
			t.Errorf("%s: text %q, want %q", c.name, got, c.text)
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, seed := range []string{"", "a\x1b[2J\x9b\u202e\xff\r\n", "\U000e0001", "{\"a\":\"\u009b\U000e0041\"}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		line, text := terminal.Line(s), terminal.Text(s)
		for _, out := range []string{line, text} {
			if !utf8.ValidString(out) {
				t.Fatalf("%q became invalid %q", s, out)
			}
			for _, r := range out {
				if r == '\n' || r == '\t' {
					continue
				}
				if unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) {
					t.Fatalf("%q leaves %U in %q", s, r, out)
				}
			}
		}
		if strings.ContainsAny(line, "\n\t") {
			t.Fatalf("%q is not one line: %q", s, line)
		}
		if terminal.Line(line) != line || terminal.Text(text) != text {
			t.Fatalf("cleaning %q twice changes it", s)
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add("a\u009b\u202e\U000e0041\n\x00")
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := json.MarshalIndent(map[string]string{"text": s}, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		safe := terminal.JSON(doc)
		for _, r := range string(safe) {
			if r != '\n' && r != '\t' && unicode.IsControl(r) {
				t.Fatalf("%U is left in %q", r, safe)
			}
		}
		var before, after map[string]string
		if err := json.Unmarshal(doc, &before); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(safe, &after); err != nil {
			t.Fatalf("%v in %q", err, safe)
		}
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%q became %q", before, after)
		}
	})
}
