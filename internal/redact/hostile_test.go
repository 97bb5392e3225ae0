package redact

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// hostileTexts are made to keep the rules as busy as possible.
func hostileTexts(size int) map[string][]byte {
	var words []string
	for _, r := range append(ownRules(), gitleaksRules()...) {
		words = append(words, r.Keywords...)
	}
	token := strings.Repeat("aB3xK9", 8)
	fill := func(s string) []byte { return bytes.Repeat([]byte(s), size/len(s)+1)[:size] }
	return map[string][]byte{
		"keywords":         fill(strings.Join(words, " ")),
		"keywords in rows": fill(strings.Join(words, " ") + "\n"),
		"keywords joined":  fill(strings.Join(words, "")),
		"keywords, values": fill(strings.Join(words, "="+token+" ")),
		"keywords, lines":  fill(strings.Join(words, "="+token+"\n")),
		"passwords":        fill("password="),
		"values":           fill("password=aB3xK9mQ2z7 "),
		"one endless key":  fill("sk-ant-" + strings.Repeat("aB3x", 1500)),
		"keys":             fill("sk-ant-" + token + " "),
		"markers":          append(fill(markerOpen), " password=aB3xK9mQ2z7"...),
		"private keys":     fill("-----BEGIN PRIVATE KEY-----\n"),
		"key lines":        fill("-----BEGIN PRIVATE KEY-----\n" + strings.Repeat(strings.Repeat("Ab0+", 16)+"\n", 100)),
		"logins":           fill("login x password "),
		"escapes":          fill(`\u0041\\n%41+`),
		"addresses":        fill("https://a:"),
		"assignments":      fill(`"api_key": "`),
	}
}

// TestHostileTextIsBounded has credentials behind texts that use up the work of rules; they must not be shown. The time
// is many times what the texts take, and a fraction of what they took without a bound.
func TestHostileTextIsBounded(t *testing.T) {
	const size = 1 << 20
	const secret = "ghp_0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ"
	rules := DefaultRules()
	for name, text := range hostileTexts(size) {
		t.Run(name, func(t *testing.T) {
			r := New(Options{Secrets: []Secret{{Name: "S", Value: "swordfish"}}, Rules: rules})
			r.baseWork = 4 << 20
			text := append(text, " "+secret+" swordfish "...)
			start := time.Now()
			whole := r.Bytes(text)
			var streamed bytes.Buffer
			w := r.Writer(&streamed)
			if _, err := w.Write(text); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took > time.Minute {
				t.Errorf("%d bytes took %s", size, took)
			}
			for how, got := range map[string][]byte{"whole": whole, "streamed": streamed.Bytes()} {
				if bytes.Contains(got, []byte(secret)) || bytes.Contains(got, []byte("swordfish")) {
					t.Errorf("%s: a secret at the end is shown", how)
				}
			}
		})
	}
}

func TestWhatIsNotCheckedIsHidden(t *testing.T) {
	r := New(Options{})
	r.baseWork = 4 << 20
	line := "API_TOKEN=aB3xK9mQ2z7aB3xK9mQ2z7 # the token\nplain text\n"
	got := r.String(strings.Repeat(line, 5_000))
	checked, unchecked := strings.Count(got, "[redacted:assignment]"), strings.Count(got, "[redacted:unchecked]")
	if checked == 0 || unchecked == 0 || checked+unchecked < 5_000 || strings.Contains(got, "aB3x") {
		t.Errorf("%d checked, %d unchecked", checked, unchecked)
	}
	if strings.Count(got, "\nplain text\n") != 5_000 {
		t.Error("text without a keyword was hidden")
	}
}

// TestNeedsAreNecessary draws texts that match a rule: none may be ruled out.
func TestNeedsAreNecessary(t *testing.T) {
	few := 0
	for _, rule := range append(ownRules(), gitleaksRules()...) {
		m := newMatcher(rule.Pattern)
		if len(m.needs) == 0 {
			few++
		}
		// Boundaries cannot be drawn; without them a pattern matches more, and needs the same.
		pattern := strings.NewReplacer(`\b`, "", `\z`, "").Replace(rule.Pattern)
		for i := range 20 {
			if text := rapid.StringMatching(pattern).Example(i); !possible([]byte(text), m.needs) {
				t.Errorf("%s: %q was ruled out", rule.Name, text)
			}
		}
	}
	if few > 0 {
		t.Errorf("%d rules have no needs", few)
	}
}

func BenchmarkHostile(b *testing.B) {
	const size = 60 << 20
	rules := DefaultRules()
	for name, text := range hostileTexts(size) {
		b.Run(name, func(b *testing.B) {
			r := New(Options{Secrets: []Secret{{Name: "S", Value: "swordfish"}}, Rules: rules})
			b.SetBytes(size)
			for b.Loop() {
				w := r.Writer(io.Discard)
				if _, err := w.Write(text); err != nil {
					b.Fatal(err)
				}
				if err := w.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
