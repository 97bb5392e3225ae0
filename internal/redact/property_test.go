package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

// encodings are the forms a secret may take, by name.
func encodings(t testing.TB, secret, before, after string) map[string]string {
	std, web := base64.StdEncoding, base64.URLEncoding
	around := []byte(before + secret + after)
	return map[string]string{
		"raw": secret, "json": quoted(t, secret), "json in json": quoted(t, quoted(t, secret)), "ascii": asciiQuoted(secret),
		"query": url.QueryEscape(secret), "path": url.PathEscape(secret), "percent": percentAll(secret),
		"hex": hex.EncodeToString(around), "HEX": strings.ToUpper(hex.EncodeToString(around)),
		"base64": std.EncodeToString(around), "base64 raw": base64.RawStdEncoding.EncodeToString(around),
		"base64 url": web.EncodeToString(around), "base64 url raw": base64.RawURLEncoding.EncodeToString(around),
		"base64 wrapped": wrap(std.EncodeToString(around), 76, "\n"),
	}
}

func drawSecret(t *rapid.T) string {
	return rapid.StringMatching(`[!-Z^-~][ -Z\\^-~äß€]{10,60}[!-Z^-~]`).Draw(t, "secret")
}

// drawText draws text that cannot hold a part of a secret by accident: secrets have no '_' runs.
func drawText(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"___", " ", "\n", "\r\n", "\t", "___ = ", `"___"`, `\n`, "100%"}), 0, 12).Draw(t, label), "")
}

func inChunks(t *rapid.T, r *redact.Redactor, text string) string {
	var out bytes.Buffer
	w := r.Writer(&out)
	for len(text) > 0 {
		n := rapid.IntRange(1, min(len(text), 40)).Draw(t, "chunk")
		if _, err := w.Write([]byte(text[:n])); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestNoFormSurvives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		secret := drawSecret(rt)
		r := exactOnly(redact.Secret{Name: "S", Value: secret})
		before, after := rapid.StringMatching(`_{0,4}`).Draw(rt, "before"), rapid.StringMatching(`_{0,4}`).Draw(rt, "after")
		forms := encodings(t, secret, before, after)
		names := make([]string, 0, len(forms))
		for name := range forms {
			names = append(names, name)
		}
		name := rapid.SampledFrom(sorted(names)).Draw(rt, "form")
		text := drawText(rt, "head") + " " + forms[name] + " " + drawText(rt, "tail")

		whole := r.String(text)
		if !strings.Contains(whole, "[redacted:S]") {
			rt.Fatalf("%s: %q was not found in %q", name, secret, text)
		}
		streamed := inChunks(rt, r, text)
		if streamed != whole {
			rt.Fatalf("%s: streamed %q, whole %q", name, streamed, whole)
		}
		for form, encoded := range encodings(t, secret, "", "") {
			core := strings.TrimRight(encoded, "=")
			if strings.Contains(whole, core[:len(core)-1]) {
				rt.Fatalf("%s: %q still holds the %s form of %q", name, whole, form, secret)
			}
		}
		if again := r.String(whole); again != whole {
			rt.Fatalf("%s: redacting twice changes %q to %q", name, whole, again)
		}
	})
}

func TestOtherTextIsUnchanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "S", Value: "zzzz" + drawSecret(rt)}}})
		text := rapid.String().Draw(rt, "text")
		if strings.Contains(text, "://") || strings.Contains(strings.ToLower(text), "zzzz") {
			rt.Skip("may hold a credential")
		}
		if got := r.String(text); got != text {
			rt.Fatalf("%q became %q", text, got)
		}
		if got := inChunks(rt, r, text); got != text {
			rt.Fatalf("%q was streamed as %q", text, got)
		}
	})
}
