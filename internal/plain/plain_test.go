package plain

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestText(t *testing.T) {
	cases := map[string]struct{ in, want string }{
		"colours":            {"\x1b[31;1mFAIL\x1b[0m pkg", "FAIL pkg"},
		"title and link":     {"\x1b]0;owned\x07a\x1b]8;;http://x\x1b\\b\x1b]8;;\x1b\\", "ab"},
		"8-bit sequences":    {"a\u009b2Jb\u009dtitle\u009cc", "abc"},
		"unterminated":       {"a\x1b]0;never ends\nnext", "a\nnext"},
		"lone escape at end": {"a\x1b", "a"},
		"character set":      {"\x1b(Ba", "a"},
		"progress lines":     {"10%\r50%\r100%\r\n", "10%\n50%\n100%\n"},
		"control characters": {"a\x00b\x08c\x7fd", "abcd"},
		"bidirectional":      {"if \u202e\u2066admin\u2069 {", "if admin {"},
		"invisible tags":     {"hi\U000E0041\U000E0042", "hi"},
		"zero width":         {"pass\u200bword\ufeff", "password"},
		"joiners stay":       {"👩\u200d💻", "👩\u200d💻"},
		"invalid bytes":      {"a\xff\xfeb", "a\uFFFDb"},
		"tabs and lines":     {"a\tb\nc", "a\tb\nc"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := Text(c.in); got != c.want {
				t.Errorf("Text(%q) = %q, want %q", c.in, got, c.want)
			}
		})
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	long := strings.Repeat("line of output\n", 500) + "--- FAIL: TestX\n"
	got := Tail(long, 60, 4096)
	if !strings.HasSuffix(got, "--- FAIL: TestX") || !strings.HasPrefix(got, "[… the start is left out]\n") {
		t.Errorf("Tail lost the end or the note: %q", got)
	}
	if n := strings.Count(got, "\n"); n != 60 {
		t.Errorf("Tail kept %d lines, want 60", n)
	}
	if got := Tail("a\nb\n", 60, 4096); got != "a\nb" {
		t.Errorf("Tail changed a short text: %q", got)
	}
	if got := Tail("a\nb\nc", 2, 4096); got != "[… the start is left out]\nb\nc" {
		t.Errorf("Tail(2 lines) = %q", got)
	}
}

// sample draws text with the characters that matter here more often than chance would.
var sample = rapid.StringOfN(rapid.OneOf(
	rapid.SampledFrom([]rune("`\n\r\t\x1b[]m;~ {}\u202e\u2066\U000E0041é漢")), rapid.Rune(),
), 0, 400, -1)

func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Repeat(sample.Draw(t, "s"), rapid.IntRange(1, 40).Draw(t, "repeat"))
		limit := rapid.IntRange(40, 200).Draw(t, "limit")
		for name, got := range map[string]string{
			"ClipBytes": ClipBytes(strings.ToValidUTF8(s, ""), limit), "Line": Line(s, limit), "Head": Head(s, limit), "Tail": Tail(s, 5, limit),
		} {
			if len(got) > limit {
				t.Fatalf("%s is %d bytes, limit %d: %q", name, len(got), limit, got)
			}
			if !utf8.ValidString(got) {
				t.Fatalf("%s is not valid UTF-8: %q", name, got)
			}
		}
		if got := Clip(s, limit); utf8.RuneCountInString(got) > limit {
			t.Fatalf("Clip left %d characters of %d", utf8.RuneCountInString(got), limit)
		}
	})
}

func TestCutTextSaysSo(t *testing.T) {
	long := strings.Repeat("première ligne\n", 100)
	if got := Head(long, 100); !strings.HasPrefix(got, "première ligne\n") || !strings.HasSuffix(got, "ligne\n[… the rest is left out]") {
		t.Errorf("Head = %q", got)
	}
	if got := Tail(long, 50, 100); !strings.HasPrefix(got, "[… the start is left out]\npremière") || !strings.HasSuffix(got, "ligne") {
		t.Errorf("Tail = %q", got)
	}
	if got := Line(long, 20); got != "première ligne…" && got != "première ligne p…" {
		t.Errorf("Line = %q", got)
	}
}

func TestClip(t *testing.T) {
	for text, want := range map[string]string{"": "", "żółw": "żółw", "abcde": "abc…", "ab cd": "ab…"} {
		if got := Clip(text, 4); got != want {
			t.Errorf("Clip(%q) = %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"": "", "éé": "éé", "abcde": "a…", "ééé": "…", "a bcd": "a…"} {
		if got := ClipBytes(text, 4); got != want {
			t.Errorf("ClipBytes(%q) = %q, want %q", text, got, want)
		}
	}
	if got := Clip("ab", 0); got != "…" {
		t.Errorf("without room: %q", got)
	}
}

func TestTextIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		once := Text(sample.Draw(t, "s"))
		if twice := Text(once); twice != once {
			t.Fatalf("cleaning again changed %q to %q", once, twice)
		}
		if i := strings.IndexFunc(once, Hidden); i >= 0 {
			t.Fatalf("hidden character left at %d of %q", i, once)
		}
	})
}

func TestFenceCannotBeClosedFromInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := strings.Split(Fence(sample.Draw(t, "s")), "\n")
		fence := strings.TrimSuffix(lines[0], "text")
		if len(lines) < 3 || lines[len(lines)-1] != fence {
			t.Fatalf("not a fenced block: %q", lines)
		}
		for _, line := range lines[1 : len(lines)-1] {
			if strings.Contains(line, fence) {
				t.Fatalf("line %q holds the fence %q", line, fence)
			}
		}
	})
}

func TestCode(t *testing.T) {
	for in, want := range map[string]string{
		"go test ./...":  "`go test ./...`",
		"echo `date`":    "`` echo `date` ``",
		"two\nlines":     "`two lines`",
		"^feat:  ":       "`^feat:  `",
		"```":            "```` ``` ````",
		"a\x1b[2Jb":      "`ab`",
		"0123456789abcd": "`0123456…`",
	} {
		limit := 10
		if len(in) < 14 {
			limit = 100
		}
		if got := Code(in, limit); got != want {
			t.Errorf("Code(%q) = %q, want %q", in, got, want)
		}
	}
}
