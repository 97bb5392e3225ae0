package redact_test

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// TestEscapedLineEndsHideNothing: a token that is encoded or wrapped is found however often its line ends were escaped, as a
// result of a tool is that stands in a message which stands in a transcript.
func TestEscapedLineEndsHideNothing(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{})
	token := "gh" + "p_0123456789aBcDeFgHiJkLmNoPqRsTuVwXyZ"
	for _, with := range []string{
		"\n", "\r\n", "\n  ", " \n\t", `\n`, `\\n`, `\\\n`, `\\\\n`, `\r`, `\\r`, `\r\n`, `\\r\\n`, `\\\\r\\\\n`,
	} {
		forms := map[string]string{"token": token[:20] + with + token[20:]}
		for _, before := range []string{"", "x", "xy", "xyz", "some words: "} {
			text := []byte(before + token + " and what follows it")
			for _, width := range []int{36, 40, 64, 76} {
				forms["base64 after "+before] = wrap(base64.StdEncoding.EncodeToString(text), width, with)
				forms["base64 of URLs after "+before] = wrap(base64.RawURLEncoding.EncodeToString(text), width, with)
				forms["hex after "+before] = wrap(hex.EncodeToString(text), width, with)
				for name, form := range forms {
					for how, got := range map[string]string{"whole": r.String(`see "` + form + `" end`), "streamed": stream(t, r, `see "`+form+"\" end\n", 30)} {
						if !strings.HasPrefix(got, `see "[redacted:`) || !strings.HasSuffix(strings.TrimSpace(got), `]" end`) || markers(got) != 1 {
							t.Errorf("%s in lines of %d that end in %q, %s: %q", name, width, with, how, got)
						}
					}
				}
			}
		}
	}
}

// TestEscapedDigitsOfKeys: no digit of a private key is kept because others of it were escaped.
func TestEscapedDigitsOfKeys(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{})
	for name, der := range bareKeys(t) {
		digits := base64.StdEncoding.EncodeToString(der)
		for how, escape := range map[string]*strings.Replacer{
			"not at all": strings.NewReplacer(), "slashes": strings.NewReplacer("/", `\/`), "slashes twice": strings.NewReplacer("/", `\\\/`),
			"signs": strings.NewReplacer("/", `\u002F`, "+", `\u002b`, "=", `\u003d`), "signs twice": strings.NewReplacer("/", `\\u002F`, "+", `\\u002b`, "=", `\\u003d`),
			"as bytes": strings.NewReplacer("/", `\x2f`, "+", `\x2b`),
		} {
			for _, width := range []int{64, 76, len(digits)} {
				lines := wrapped(digits, width)
				for i, line := range lines {
					lines[i] = escape.Replace(line)
				}
				for _, with := range []string{`\n`, `\r\n`, `\\n`, "\n"} {
					text := `{"key":"` + strings.Join(lines, with) + `","next":"stays"}`
					if got, want := r.String(text), `{"key":"[redacted:private-key]","next":"stays"}`; got != want {
						t.Errorf("%s in lines of %d that end in %q, %s escaped: %q", name, width, with, how, got)
					}
				}
			}
		}
	}
}
