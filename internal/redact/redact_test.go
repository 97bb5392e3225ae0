package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// exactOnly hides given values and knows no rule, so that a test cannot pass by one.
func exactOnly(secrets ...redact.Secret) *redact.Redactor {
	return redact.New(redact.Options{Secrets: secrets, Rules: redact.NewRuleSet(nil)})
}

// quoted is s as encoding/json writes it, without the quotes around it.
func quoted(t testing.TB, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b[1 : len(b)-1])
}

// asciiQuoted escapes everything but letters and digits, as some encoders do.
func asciiQuoted(s string) string {
	var b strings.Builder
	for _, c := range utf16.Encode([]rune(s)) {
		switch {
		case c == '/':
			b.WriteString(`\/`)
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9':
			b.WriteByte(byte(c))
		default:
			fmt.Fprintf(&b, `\u%04x`, c)
		}
	}
	return b.String()
}

func percentAll(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteString("%" + hex.EncodeToString([]byte{c}))
	}
	return b.String()
}

func wrap(s string, width int, with string) string {
	var parts []string
	for len(s) > width {
		parts = append(parts, s[:width])
		s = s[width:]
	}
	return strings.Join(append(parts, s), with)
}

func TestExactForms(t *testing.T) {
	t.Parallel()
	const value = `s3cr<t/p&ss "w+rd" %41\x`
	std, raw64 := base64.StdEncoding, base64.RawURLEncoding
	r := exactOnly(redact.Secret{Name: "TOKEN", Value: value})
	for name, form := range map[string]string{
		"raw":                  value,
		"json":                 quoted(t, value),
		"json in json":         quoted(t, quoted(t, value)),
		"json thrice":          quoted(t, quoted(t, quoted(t, value))),
		"json ascii":           asciiQuoted(value),
		"shell, bare":          `s3cr\<t/p\&ss\ \"w\+rd\"\ \%41\\x`,
		"shell, in quotes":     `s3cr<t/p&ss \"w+rd\" %41\\x`,
		"query":                url.QueryEscape(value),
		"path":                 url.PathEscape(value),
		"percent lower":        percentAll(value),
		"hex":                  hex.EncodeToString([]byte(value)),
		"hex upper":            strings.ToUpper(hex.EncodeToString([]byte(value))),
		"hex wrapped":          wrap(hex.EncodeToString([]byte(value)), 20, "\n"),
		"base64":               std.EncodeToString([]byte(value)),
		"base64 url unpadded":  raw64.EncodeToString([]byte(value)),
		"base64 after 1":       std.EncodeToString([]byte("u" + value + "tail")),
		"base64 after 2":       std.EncodeToString([]byte("u:" + value + "t")),
		"base64 wrapped":       wrap(std.EncodeToString([]byte("user:"+value)), 10, "\n"),
		"base64 wrapped CRLF":  wrap(std.EncodeToString([]byte(value)), 10, "\r\n    "),
		"base64 in json":       quoted(t, wrap(std.EncodeToString([]byte(value)), 10, "\n")),
		"base64 in query":      url.QueryEscape(std.EncodeToString([]byte(value))),
		"wrapped by a display": wrap(value, 8, "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := r.String("before " + form + " after")
			if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") || !strings.Contains(got, "[redacted:TOKEN]") {
				t.Fatalf("%q became %q", form, got)
			}
			if rest := strings.ReplaceAll(got, "[redacted:TOKEN]", ""); len(rest) > len("before  after")+8 {
				t.Errorf("%q became %q: too much is left", form, got)
			}
		})
	}
}

func TestBase64LeavesNoDigitOfTheSecret(t *testing.T) {
	t.Parallel()
	r := exactOnly(redact.Secret{Name: "K", Value: "abcdefgh"})
	for _, in := range []string{"abcdefgh", "1abcdefgh", "12abcdefgh", "abcdefgh\n", "abcdefgh12", "1abcdefgh1"} {
		got := r.String(base64.StdEncoding.EncodeToString([]byte(in)))
		for _, part := range strings.Split(got, "[redacted:K]") {
			decoded, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(part, "="))
			if err == nil && strings.ContainsAny(string(decoded), "abcdefgh") {
				t.Errorf("%q: %q still shows %q", in, got, decoded)
			}
		}
	}
}

func TestMultiLineSecret(t *testing.T) {
	t.Parallel()
	key := strings.Join([]string{"head of the file", strings.Repeat("Ab3dEf7hIjKlMnOp", 3), strings.Repeat("Zy9xWv5uTsRqPo1n", 3), "last"}, "\n")
	r := exactOnly(redact.Secret{Name: "FILE", Value: key + "\n"})
	for name, text := range map[string]string{
		"as is":      key,
		"CRLF":       strings.ReplaceAll(key, "\n", "\r\n"),
		"indented":   strings.ReplaceAll(key, "\n", "\n      "),
		"escaped":    quoted(t, key),
		"one line":   strings.Repeat("Zy9xWv5uTsRqPo1n", 3),
		"CRLF in 64": base64.StdEncoding.EncodeToString([]byte(strings.ReplaceAll(key, "\n", "\r\n"))),
	} {
		if got := r.String(text); got != "[redacted:FILE]" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := r.String("head of the file"); got != "head of the file" {
		t.Errorf("an ordinary line of the file was hidden: %q", got)
	}
}

// TestIndentedSecret: white space at the beginning of a secret's own lines is no part of what is looked for.
func TestIndentedSecret(t *testing.T) {
	t.Parallel()
	for name, indent := range map[string]string{"spaces": "\n  ", "a tab": "\n\t", "an empty line": "\n\n", "an empty line and spaces": "\n \n  ", "CRLF": "\r\n "} {
		value := strings.Join([]string{"user: ada", "word: a plain one", "end of it"}, indent)
		r := exactOnly(redact.Secret{Name: "FILE", Value: value})
		for form, text := range map[string]string{
			"as is":      value,
			"not at all": strings.ReplaceAll(value, indent, "\n"),
			"deeper":     strings.ReplaceAll(value, indent, "\n\t    "),
			"escaped":    quoted(t, value),
			"joined":     strings.ReplaceAll(value, indent, ""),
		} {
			if got := r.String(text); got != "[redacted:FILE]" {
				t.Errorf("%s, %s: %q", name, form, got)
			}
		}
	}
}

func TestShortValues(t *testing.T) {
	t.Parallel()
	r := exactOnly(redact.Secret{Name: "PIN", Value: "1234"}, redact.Secret{Name: "MODE", Value: "true"}, redact.Secret{Name: "NONE", Value: " "})
	for in, want := range map[string]string{
		"PIN=1234\n":                "PIN=[redacted:PIN]\n",
		`{"pin": "1234", "n":1234}`: `{"pin": "[redacted:PIN]", "n":1234}`,
		"port 1234 is true":         "port 1234 is true",
		"PIN=12345":                 "PIN=12345",
		"PIN=1234.5":                "PIN=1234.5",
		"I took `PIN=1234` for it":  "I took `PIN=[redacted:PIN]` for it",
		"it is set (PIN=1234)":      "it is set (PIN=[redacted:PIN])",
		"[PIN=1234]":                "[PIN=[redacted:PIN]]",
		"PIN=1234|sh":               "PIN=[redacted:PIN]|sh",
		"mode: true":                "mode: [redacted:MODE]",
		"debug: true":               "debug: true",
	} {
		if got := r.String(in); got != want {
			t.Errorf("String(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestNamesNeverShowAValue(t *testing.T) {
	t.Parallel()
	r := exactOnly(redact.Secret{Name: "is-hunter22-here", Value: "hunter22"}, redact.Secret{Name: "a]b c", Value: "other-value"})
	if got, want := r.String("hunter22 other-value"), "[redacted:secret] [redacted:a-b-c]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSecretThatIsPartOfTheMarker(t *testing.T) {
	t.Parallel()
	r := exactOnly(redact.Secret{Name: "S", Value: "redacted"})
	once := r.String("it was redacted.")
	if once != "it was [redacted:S]." || r.String(once) != once {
		t.Errorf("got %q, then %q", once, r.String(once))
	}
	if got := r.String("[redacted:made-up]"); got != "[[redacted:S]:made-up]" {
		t.Errorf("a marker that is not ours hides a value: %q", got)
	}
}

func TestUnchangedIsNotCopied(t *testing.T) {
	t.Parallel()
	r := exactOnly(redact.Secret{Name: "S", Value: "swordfish"}, redact.Secret{Name: "T", Value: "swordfish-and-more"})
	if got, want := r.String("swordfish, swordfish-and-more"), "[redacted:S], [redacted:T]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	plain := []byte("nothing here")
	if got := r.Bytes(plain); &got[0] != &plain[0] {
		t.Errorf("unchanged text was copied: %q", got)
	}
}

func TestLargeText(t *testing.T) {
	t.Parallel()
	const value = `long "value" of 24 bytes`
	r := exactOnly(redact.Secret{Name: "S", Value: value})
	for _, at := range []int{0, 262_143, 262_120, 262_144, 266_600, 524_288, 1_000_000} {
		text := strings.Repeat("x", at) + quoted(t, value) + strings.Repeat("y", 700_000)
		if got, want := r.String(text), strings.Repeat("x", at)+"[redacted:S]"+strings.Repeat("y", 700_000); got != want {
			t.Errorf("at %d: not found or too much hidden (%d bytes)", at, len(got))
		}
	}
	text := strings.Repeat("[redacted:S] "+value+"\n", 20_000)
	if got := r.String(text); strings.Contains(got, value) || markers(got) != 40_000 {
		t.Errorf("%d markers, want 40000", markers(got))
	}
}

// markers counts what was hidden in a text.
func markers(text string) int { return strings.Count(text, "[redacted:") }

// TestHiddenCharactersHideNothing: a secret with characters in it that are taken out before it is shown.
func TestHiddenCharactersHideNothing(t *testing.T) {
	t.Parallel()
	token := "gh" + "p_0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ"
	r := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "S", Value: "swordfish-and-a-half"}, {Name: "M", Value: "open sesame\nplease do"}}})
	for name, between := range map[string]string{
		"zero width space": "\u200b", "soft hyphen": "\u00ad", "byte order mark": "\ufeff", "direction": "\u202e", "tag": "\U000e0041",
		"colour": "\x1b[31m", "backspace": "\b", "several": "\u200b\x1b[0m\u2060",
	} {
		text := "a " + token[:20] + between + token[20:] + " and sword" + between + "fish-and-a-half.\nopen ses" + between + "ame\nplease do it\n"
		want := "a [redacted:github-token] and [redacted:S].\n[redacted:M] it\n"
		if got := r.String(text); got != want {
			t.Errorf("%s: %q", name, got)
		}
		if got := stream(t, r, text, 3); got != want {
			t.Errorf("%s: streamed %q", name, got)
		}
	}
}
