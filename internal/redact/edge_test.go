package redact

import (
	"bytes"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
)

// streamed is text as a writer passes it on that is given a few bytes at a time.
func streamed(t *testing.T, r *Redactor, text string, size int) string {
	t.Helper()
	var out bytes.Buffer
	w := r.Writer(&out)
	for len(text) > 0 {
		n := min(size, len(text))
		if _, err := io.WriteString(w, text[:n]); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestEachEscapeIsUndone: however one character of a value is written, the value is found, and no more than it.
func TestEachEscapeIsUndone(t *testing.T) {
	t.Parallel()
	for char, forms := range map[string][]string{
		"\b": {`\b`, `\u0008`, `\x08`, "%08"}, "\f": {`\f`, `\u000c`, `\x0C`, "%0c"}, "\t": {`\t`, `\u0009`, "%09"}, "\n": {"\n  ", "\r\n", `\n`, `\r\n`, `\u000a`, "%0A"},
		`"`: {`\"`, `\u0022`, `\\\"`, "%22"}, `\`: {`\\`, `\\\\`, `\u005c`, "%5C"}, "/": {`\/`, `\\/`, `\u002F`, "%2f"}, "'": {`\'`, `\u0027`}, "$": {`\$`, `\u0024`, "%24"},
		" ": {`\ `, "+", "%20", `\u0020`}, "A": {"%41", `\u0041`, `\x41`}, "ä": {`\u00e4`, `\xc3\xa4`, "%C3%A4"}, "€": {`\u20AC`, "%E2%82%AC"}, "😀": {`\ud83d\ude00`, `\\ud83d\\ude00`, "%F0%9F%98%80"},
	} {
		r := New(Options{Secrets: []Secret{{Name: "S", Value: "sword" + char + "fish-and-more"}}, Rules: NewRuleSet(nil)})
		long := New(Options{Secrets: []Secret{{Name: "S", Value: "the first line\nsword" + char + "fish-and-more"}}, Rules: NewRuleSet(nil)})
		for _, form := range append(forms, char) {
			for size := 1; size < 50; size++ {
				text := "x the first line\nsword" + form + "fish-and-more y\n"
				if got, want := streamed(t, long, text, size), "x [redacted:S] y\n"; got != want {
					t.Errorf("%q was streamed by %d as %q", text, size, got)
				}
			}
			for _, around := range [][2]string{{"x ", " y"}, {`\`, `\`}, {"%", "%4"}, {`\ud83d`, `\u00`}, {`\ud83dxxde`, "="}} {
				text := around[0] + "sword" + form + "fish-and-more" + around[1]
				if got, want := r.String(text), around[0]+"[redacted:S]"+around[1]; got != want {
					t.Errorf("%q became %q", text, got)
				}
				if got, want := streamed(t, r, text, 3), around[0]+"[redacted:S]"+around[1]; got != want {
					t.Errorf("%q was streamed as %q", text, got)
				}
			}
		}
	}
}

// TestTheRestOfAKey: where only its end is in the text, its lines are hidden, however they end, and nothing before them is.
func TestTheRestOfAKey(t *testing.T) {
	t.Parallel()
	r := New(Options{})
	rng := rand.New(rand.NewPCG(4, 4))
	digits := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[rng.IntN(64)])
		}
		return b.String()
	}
	const last = "-----END PRIV" + "ATE KEY-----"
	for _, with := range []string{"\n", "\r\n", `\n`, `\r\n`, `\\n`} {
		for _, tail := range []int{1, 2, 4, 15, 16, 40, 64} {
			for _, lines := range []int{1, 2, 5} {
				text := "the last lines of it:" + with
				for range lines {
					text += digits(64) + with
				}
				end := digits(tail)
				text += end + with + last + with + "and so on"
				want := "the last lines of it:" + with + "[redacted:private-key]" + with + last + with + "and so on"
				if got := r.String(text); got != want {
					t.Errorf("%d lines and %d digits with %q between them: %q", lines, tail, with, got)
				}
			}
		}
	}
}

// TestASecretIsHiddenToItsEnd, though its rule looked at no more than the beginning.
func TestASecretIsHiddenToItsEnd(t *testing.T) {
	t.Parallel()
	r := New(Options{})
	for _, c := range []byte("aZ9+/-_.=~%") {
		for _, n := range []int{4000, reachAfter - 40, reachAfter, reachAfter + 40, 9000} {
			secret := strings.Repeat("q8Zrt5Lkw2", n/10) + strings.Repeat(string(c), 3) + "q8Zrt5Lkw2Vx7m9B"
			for how, got := range map[string]string{"whole": r.String("client-key-data: " + secret + " stays\n"), "streamed": streamed(t, r, "client-key-data: "+secret+" stays\n", 700)} {
				if bytes.IndexByte([]byte("-_.~%"), c) >= 0 && n <= reachAfter {
					continue // ends the value
				}
				if strings.Contains(got, "Vx7m9B") || !strings.HasSuffix(got, "] stays\n") {
					t.Errorf("%q behind %d bytes, %s: %.80q … %q", c, n, how, got, got[max(0, len(got)-60):])
				}
			}
		}
	}
}

// TestWorkIsBoundedForGood: what is used up stays so, and until then every byte brings its share.
func TestWorkIsBoundedForGood(t *testing.T) {
	t.Parallel()
	b := &budget{left: 5}
	if b.grow(1); b.left != 5+workShare || !b.spend(workShare) || !b.spend(5) || b.used() {
		t.Errorf("what there was could not be spent: %+v", b)
	}
	if !b.spend(0) || b.spend(1) || !b.used() {
		t.Errorf("more was spent than there was: %+v", b)
	}
	if b.grow(100); !b.used() || b.spend(1) {
		t.Errorf("used up, it grew: %+v", b)
	}
	r := New(Options{})
	r.baseWork = 0
	text := strings.Repeat(strings.Repeat("plain text\n", 50_000)+"API_TOKEN=aB3xK9mQ2z7aB3xK9mQ2z7\n", 3)
	for how, got := range map[string]string{"whole": r.String(text), "streamed": streamed(t, r, text, 4000)} {
		if strings.Count(got, "[redacted:assignment]") != 3 || strings.Contains(got, uncheckedName) {
			t.Errorf("%s: a long text did not bring enough for its three secrets", how)
		}
	}
}

// TestBeginningsOfValues: a value that is wrapped after its first letters is hidden in the next line at the latest, also where
// characters stand between them that are not shown.
func TestBeginningsOfValues(t *testing.T) {
	t.Parallel()
	const value = "swordfish-and-a-half"
	r := New(Options{Secrets: []Secret{{Name: "S", Value: value}}, Rules: NewRuleSet(nil)})
	for _, before := range []string{"", "x", "a line\n", "a line\nand "} {
		for n := 1; n < len(value); n++ {
			for _, hidden := range []string{"", "\u200b", "\x1b[31m"} {
				for _, with := range []string{"\n", "\r\n", "\n    "} {
					for _, size := range []int{1, 2, 5, 100} {
						got := streamed(t, r, before+value[:n]+hidden+with+hidden+value[n:]+" end\n", size)
						if strings.Contains(got, value[max(n, 4):]) && len(value)-n > 3 || strings.Contains(got, value[:max(n, 5)]) || !strings.HasPrefix(got, before) || !strings.HasSuffix(got, " end\n") {
							t.Errorf("%d letters, %q, then %q in pieces of %d: %q", n, hidden, with, size, got)
						}
					}
				}
			}
		}
	}
}
