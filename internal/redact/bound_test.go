package redact_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// TestHowLongAValueMustBe to be hidden wherever it stands, and wrapped over lines.
func TestHowLongAValueMustBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ value, text, want string }{
		{"abcde", "x abcde y", "x abcde y"},
		{"abcdef", "x abcdef y", "x [redacted:S] y"},
		{" abcdef\n", "x abcdef y", "x [redacted:S] y"},
		{"abc de", "x abc de y", "x [redacted:S] y"},
		{"0123456789abcde", "x 01234567\n89abcde y", "x 01234567\n89abcde y"},
		{"0123456789abcdef", "x 01234567\n89abcdef y", "x [redacted:S] y"},
		{"0123456789abcdef", "x 01234567\r\n\t 89abcdef y", "x [redacted:S] y"},
		{"0123456789abcdef", "x 01234567 89abcdef y", "x 01234567 89abcdef y"},
		{"first\nsecond", "x first\nsecond y", "x [redacted:S] y"},
		{"one\ntwo", "x one two y", "x one two y"},
		{"a\tb'c/d\fe\bf\rg", `x a\tb\'c\/d\fe\bf\rg y`, "x [redacted:S] y"},
		{"a\x01b\"c\u00e9\U0001f600d", `x a\x01b\"c\u00e9\ud83d\ude00d y`, "x [redacted:S] y"},
		{"abc def+ghi", "x abc+def%2Bghi y", "x [redacted:S] y"},
		{"abcdef+ghi", "x abcdef%2bghi y", "x [redacted:S] y"},
		{"abcdef ghi", "x abcdef%20ghi y", "x [redacted:S] y"},
	} {
		r := exactOnly(redact.Secret{Name: "S", Value: c.value})
		if got := r.String(c.text); got != c.want {
			t.Errorf("%q in %q: %q", c.value, c.text, got)
		}
		for _, size := range []int{1, 5, 100} {
			if got := stream(t, r, c.text, size); got != c.want {
				t.Errorf("%q in %q, in pieces of %d: %q", c.value, c.text, size, got)
			}
		}
	}
}

// TestAShortValueIsHiddenBesideItsName, and nowhere else.
func TestAShortValueIsHiddenBesideItsName(t *testing.T) {
	t.Parallel()
	r := exactOnly(redact.Secret{Name: "PIN.X", Value: "1a.4"})
	for _, after := range []string{"", " ", "\n", `"`, "'", `\`, ",", ";", "&", "}"} {
		for _, assigned := range []string{"PIN.X=", "pin.x: ", `"pin.x":"`, "Pin.X := ", "pin.x => '", `\"PIN.X\":\"`} {
			if got := r.String("a " + assigned + "1a.4" + after); got != "a "+assigned+"[redacted:PIN.X]"+after {
				t.Errorf("%q", got)
			}
		}
	}
	for _, text := range []string{"PIN.X=1a.45", "PIN.X=1a.4.", "PINXX=1a.4", "PIN.X=1ax4", "PIN.X 1a.4", "1a.4", "PIN.X=01a.4"} {
		if got := r.String(text); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// TestWhichNameIsShown where several finds lie over one another, and what becomes of names that cannot be shown.
func TestWhichNameIsShown(t *testing.T) {
	t.Parallel()
	token := "gh" + "p_0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ"
	r := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "", Value: "nameless"}, {Name: "Ä b/c.d_e-f", Value: "other-value"}, {Name: "T", Value: token[8:20]}, {Name: "T2", Value: token[16:30]}}})
	for text, want := range map[string]string{
		"nameless, other-value":   "[redacted:secret], [redacted:--b-c.d_e-f]",
		"a " + token + " b":       "a [redacted:T] b", // the exact value's, and all that the rule found
		token[8:30]:               "[redacted:T]",
		token[16:30]:              "[redacted:T2]",
		token[8:20] + token[8:20]: "[redacted:T][redacted:T]",
	} {
		if got := r.String(text); got != want {
			t.Errorf("%q became %q, not %q", text, got, want)
		}
	}
}

// TestLinesBetweenTheLinesOfAKey: eight others in a row end it, and so does a last line. Empty lines do not count before the fifth.
func TestLinesBetweenTheLinesOfAKey(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(4, 4))
	r := redact.New(redact.Options{})
	line := func() string { return draw(rng, 64, alnum) + "\n" }
	begin, end := "-----BEGIN PRIV"+"ATE KEY-----\n", "-----END PRIV"+"ATE KEY-----\n"
	for name, c := range map[string]struct {
		between string
		hidden  bool
	}{
		"nothing":                   {"", true},
		"eight lines":               {strings.Repeat("some words here\n", 8), true},
		"nine lines":                {strings.Repeat("some words here\n", 9), false},
		"four empty and eight more": {strings.Repeat("\n", 4) + strings.Repeat("some words here\n", 8), true},
		"five empty and eight more": {strings.Repeat("\n", 5) + strings.Repeat("some words here\n", 8), false},
		"its end":                   {end, false},
		"too much of it":            {strings.Repeat(line(), 1100), false},
	} {
		first, last := line(), line()
		text := begin + first + c.between + last + "and so on\n"
		got := r.String(text)
		if strings.Contains(got, first[:64]) || strings.Contains(got, last[:64]) == c.hidden {
			t.Errorf("%s: %q", name, got[:min(len(got), 400)])
		}
		if got := stream(t, r, text, 100); strings.Contains(got, first[:64]) || strings.Contains(got, last[:64]) == c.hidden {
			t.Errorf("%s: streamed %q", name, got[:min(len(got), 400)])
		}
	}
}

// TestFindsAreWhatIsHidden: a thread says where, by the same rules and over as many texts.
func TestFindsAreWhatIsHidden(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "S", Value: "swordfish-and-a-half"}}})
	key := pemBlock(rand.New(rand.NewPCG(9, 9)))
	finds, strs := r.Thread(), r.Thread()
	for _, text := range append(strings.SplitAfter(key, "\n"), "sword\u200bfish-and-a-half and swordfish-and-a-half", "nothing", "password=aB3xK9mQ2z7") {
		rest, at := "", 0
		for _, f := range finds.Finds([]byte(text)) {
			rest += text[at:f.Start] + "[redacted:" + f.Name + "]"
			at = f.End
		}
		if want := strs.String(text); rest+text[at:] != want {
			t.Errorf("%q: found as %q, hidden as %q", text, rest+text[at:], want)
		}
	}
}

// TestSecretsFarFromTheirKeyword: a long value is hidden to its end, and one behind much else in the same line is found.
func TestSecretsFarFromTheirKeyword(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(6, 6))
	r := redact.New(redact.Options{})
	for _, n := range []int{4000, 4090, 4095, 4096, 4097, 5000, 70_000} {
		value := draw(rng, n, alnum)
		for _, form := range []string{"a password=%s b", "a sk-" + "ant-api03-%s b", "\"api_key\": \"%s\", b"} {
			text := fmt.Sprintf(form, value)
			for how, got := range map[string]string{"whole": r.String(text), "streamed": stream(t, r, text, 1000)} {
				if leaks(got, value) || !strings.HasSuffix(got, " b") || len(got) > 60 {
					t.Errorf("%d in %q, %s: %d bytes are left", n, form, how, len(got))
				}
			}
		}
	}
	token := "gh" + "p_" + draw(rng, 36, alnum)
	for _, n := range []int{100, 127, 128, 129, 4096, 65_400, 65_536, 131_072} {
		text := strings.Repeat("ghp_ ", n/5) + token + strings.Repeat(" ghp_", n/5)
		if got := r.String(text); leaks(got, token) || strings.Count(got, "ghp_") != 2*(n/5) {
			t.Errorf("behind %d bytes of keywords it is shown, or they are gone", n)
		}
	}
}

// shortWriter takes less than it is given, and does not say so.
type shortWriter struct{ taken int }

func (s *shortWriter) Write(p []byte) (int, error) {
	s.taken++
	return len(p) - 1, nil
}

// TestNothingFollowsWhatWasRefused: a writer that could not pass a piece on passes nothing on that comes after it.
func TestNothingFollowsWhatWasRefused(t *testing.T) {
	t.Parallel()
	out := &shortWriter{}
	w := exactOnly().Writer(out)
	if _, err := io.WriteString(w, "line\n"); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Write: %v", err)
	}
	if n, err := io.WriteString(w, "line\n"); n != 0 || !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("the next Write: %d, %v", n, err)
	}
	if err := w.Close(); !errors.Is(err, io.ErrShortWrite) || out.taken != 1 {
		t.Errorf("Close: %v, after %d pieces", err, out.taken)
	}
}

// TestStreamsOfEveryKindInOne: whatever follows whatever, a stream hides what the whole text would.
func TestStreamsOfEveryKindInOne(t *testing.T) {
	t.Parallel()
	rules := redact.DefaultRules()
	r := redact.New(redact.Options{Rules: rules, Secrets: []redact.Secret{{Name: "S", Value: "swordfish-and-a-half"}}})
	samples := corpus(23, 1)
	rng := rand.New(rand.NewPCG(2, 3))
	for round := range 12 {
		var text strings.Builder
		var secrets []string
		for _, i := range rng.Perm(len(samples))[:12] {
			text.WriteString(samples[i].text + "\n" + []string{"", "and more\n", "swordfish-and-a-half\n"}[rng.IntN(3)])
			secrets = append(secrets, samples[i].secret)
		}
		for _, size := range []int{3, 50, 4096} {
			got := stream(t, r, text.String(), size)
			if i := slices.IndexFunc(secrets, func(s string) bool { return leaks(got, s) && !leaks(r.String(text.String()), s) }); i >= 0 || strings.Contains(got, "swordfish-and") {
				t.Errorf("round %d, in pieces of %d: a secret is shown in %q", round, size, got)
			}
		}
	}
}

// TestSecretsOverSeveralLinesAreStreamed: what tells that a line is a secret may stand in lines before it.
func TestSecretsOverSeveralLinesAreStreamed(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(2, 2))
	r := redact.New(redact.Options{})
	secret := draw(rng, 43, alnum)
	for name, text := range map[string]string{
		"web key":            "{\n  \"kty\": \"EC\",\n  \"crv\": \"P-256\",\n  \"x\": \"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\",\n  \"d\": \"%s\"\n}\n",
		"web key, symmetric": "{\n  \"kty\": \"oct\",\n  \"k\": \"%s\"\n}\n",
		"web key, sorted":    "{\n  \"crv\": \"P-256\",\n  \"d\": \"%s\",\n  \"kty\": \"EC\",\n  \"x\": \"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\"\n}\n",
		"netrc":              "machine h\n  login me\n  password %s\n",
		"netrc, one login":   "machine h login me\n  password %s\n",
	} {
		text = "first line\n" + strings.Replace(text, "%s", secret, 1) + "last line\n"
		want := r.String(text)
		if leaks(want, secret) {
			t.Errorf("%s: %q", name, want)
		}
		for _, size := range []int{1, 10, 50, 1000} {
			if got := stream(t, r, text, size); got != want {
				t.Errorf("%s in pieces of %d: %q", name, size, got)
			}
		}
	}
}

// TestNothingOfAWebKeyIsKept: each of the numbers of an RSA key gives the others away, in whatever order they are printed.
func TestNothingOfAWebKeyIsKept(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 3))
	r := redact.New(redact.Options{})
	for _, order := range []string{"kty n e d p q dp dq qi", "d dp dq e kty n p q qi", "p kty q d e n", "alg k kty", "kty alg k use"} {
		var members, secrets []string
		for _, name := range strings.Fields(order) {
			value := map[string]string{"kty": "RSA", "e": "AQAB", "alg": "HS256", "use": "sig"}[name]
			if value == "" {
				value = draw(rng, 342, alnum)
				if name != "n" {
					secrets = append(secrets, value)
				}
			}
			members = append(members, `"`+name+`": "`+value+`"`)
		}
		for form, text := range map[string]string{
			"in a line": "{" + strings.Join(members, ", ") + "}",
			"in lines":  "{\n  " + strings.Join(members, ",\n  ") + "\n}\n",
			"in a text": strings.ReplaceAll("{"+strings.Join(members, ", ")+"}", `"`, `\"`),
		} {
			for how, got := range map[string]string{"whole": r.String(text), "streamed": stream(t, r, text, 100)} {
				for i, secret := range secrets {
					if leaks(got, secret) {
						t.Errorf("%s %s, %s: secret %d is kept: %s", order, form, how, i, got)
					}
				}
			}
		}
	}
}
