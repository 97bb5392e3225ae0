package redact_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/redact"
)

func sorted(in []string) []string { slices.Sort(in); return in }

// stream writes text in pieces of the given size.
func stream(t testing.TB, r *redact.Redactor, text string, size int) string {
	t.Helper()
	var out bytes.Buffer
	w := r.Writer(&out)
	for piece := range slices.Chunk([]byte(text), size) {
		if n, err := w.Write(piece); n != len(piece) || err != nil {
			t.Fatalf("Write = %d, %v", n, err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestWriterHidesCorpusAcrossBorders(t *testing.T) {
	t.Parallel()
	rules := redact.DefaultRules()
	for i, s := range corpus(11, 1) {
		r := redact.New(redact.Options{Rules: rules})
		text := "first line\n" + s.text + "\nlast line\n"
		got := stream(t, r, text, 1+i%23)
		if want := r.String(text); got != want {
			t.Errorf("%s: streamed %q, whole %q", s.kind, got, want)
		}
	}
}

func TestWriterPassesLinesOnAtOnce(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	key := pemBlock(rng)
	r := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "S", Value: "swordfish-and-a-half"}}})
	var out bytes.Buffer
	w := r.Writer(&out)
	for _, step := range []struct{ write, want string }{
		{"hello\n", "hello\n"},
		{"wor", ""},
		{"ld\nand sword", "world\n"},
		{"fish-and", ""},
		{"-a-half\n", "and [redacted:S]\n"},
		{"ends in s\n", "ends in s\n"},
		{"ends in swordfish-\n", ""},
		{"or not, in the end\n", "ends in swordfish-\nor not, in the end\n"},
		{key[:100] + "\n", "-----BEGIN RSA PRIV" + "ATE KEY-----\n[redacted:private-key]"},
		{key[100:200] + "\n", ""},
		{"and then something else\n", "\nand then something else\n"},
	} {
		out.Reset()
		if _, err := io.WriteString(w, step.write); err != nil {
			t.Fatal(err)
		}
		if out.String() != step.want {
			t.Errorf("after %.40q came %q, want %q", step.write, out.String(), step.want)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

// countingWriter remembers how much was held back at most.
type countingWriter struct {
	in, out, most, hidden int
}

func (c *countingWriter) Write(p []byte) (int, error) {
	c.out += len(p)
	c.hidden += bytes.Count(p, []byte("[redacted:"))
	return len(p), nil
}

func TestWriterIsBounded(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{
		"one line": "0123456789abcdef", "no token": "########", "key that never ends": "-----BEGIN RSA PRIV" + "ATE KEY-----\nAAAA\n",
		"logins": "login a\n", "spaces": " ", "backslashes": `\`, "almost the secret": "swordfish-and-a-hal\n",
	} {
		r := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "S", Value: "swordfish-and-a-half"}}})
		var c countingWriter
		w := r.Writer(&c)
		piece := []byte(strings.Repeat(unit, 4096/len(unit)))
		for range 512 {
			if _, err := w.Write(piece); err != nil {
				t.Fatal(err)
			}
			c.in += len(piece)
			if c.hidden == 0 {
				c.most = max(c.most, c.in-c.out)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if c.most > 256<<10 {
			t.Errorf("%s: %d bytes were held back", name, c.most)
		}
	}
}

func TestWriterHidesInVeryLongLines(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 5))
	value := draw(rng, 50, alnum)
	r := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "S", Value: value}}})
	for _, filler := range []string{"x", "x ", `x\"`} {
		for offset := 65536 - 120; offset < 65536+120; offset += 7 {
			secretAt := strings.Repeat(filler, offset/len(filler))
			got := stream(t, r, secretAt+value+strings.Repeat(filler, 40000), 8192)
			if leaks(got, value) || !strings.Contains(got, "[redacted:S]") {
				t.Fatalf("offset %d, filler %q: the secret is shown or gone", offset, filler)
			}
		}
	}
	token := "gh" + "p_" + draw(rng, 200_000, alnum)
	if got := stream(t, r, "a "+token+" b", 5000); got != "a [redacted:github-token] b" {
		t.Errorf("an endless token became %.80q… (%d bytes)", got, len(got))
	}
}

type failingWriter struct{ err error }

func (f failingWriter) Write([]byte) (int, error) { return 0, f.err }

func TestWriterReportsErrors(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	w := exactOnly().Writer(failingWriter{full})
	if _, err := io.WriteString(w, "line\n"); !errors.Is(err, full) {
		t.Errorf("Write: %v", err)
	}
	if err := w.Close(); !errors.Is(err, full) {
		t.Errorf("Close: %v", err)
	}
	if _, err := io.WriteString(w, "x"); !errors.Is(err, redact.ErrClosed) {
		t.Errorf("Write after Close: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

// TestWriterHidesWrappedValues: an encoder wraps lines where it likes, also right
// before the digits that are the value's alone. Where fewer than four of them stand
// before a line end, that line does not wait, see leastWrapped: only the rest is hidden.
func TestWriterHidesWrappedValues(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "S", Value: "swordfish-and-a-half"}}})
	for _, before := range []string{"", "u", "us", "user:"} {
		encoded := base64.StdEncoding.EncodeToString([]byte(before + "swordfish-and-a-half:more"))
		whole := (8*len(before) + 5) / 6
		alone := encoded[whole : (8*(len(before)+20))/6]
		for width := 1; width < len(encoded); width++ {
			rest := (width - whole%width) % width
			isShort := width < 4 || rest > 0 && rest < 4
			var lines strings.Builder
			for line := range slices.Chunk([]byte(encoded), width) {
				lines.Write(line)
				lines.WriteByte('\n')
			}
			text := "first line\n" + lines.String() + "last line\n"
			want := r.String(text)
			for _, size := range []int{width + 1, len(text)} {
				got := stream(t, r, text, size)
				if isShort {
					for i := range len(alone) - 3 {
						if strings.Contains(strings.ReplaceAll(got, "\n", ""), alone[i:i+4]) {
							t.Errorf("%q in lines of %d, in pieces of %d: streamed %q", before, width, size, got)
							break
						}
					}
				} else if got != want {
					t.Errorf("%q in lines of %d, in pieces of %d: streamed %q, whole %q", before, width, size, got, want)
				}
			}
		}
	}
}

// TestWriterHidesValuesInOpenKeys: behind the first line of a key, what looks like a line of it may be the beginning
// of another secret, or the name of one.
func TestWriterHidesValuesInOpenKeys(t *testing.T) {
	t.Parallel()
	r := redact.New(redact.Options{Secrets: []redact.Secret{{Name: "S", Value: "swordfish-and-a-half"}}})
	first := "-----BEGIN PRIV" + "ATE KEY-----\n"
	for _, test := range []struct{ text, secret string }{
		{"API_TOKEN=abcdefghijklmnop1234.xyz\n", "abcdefghijklmnop1234"},
		{"MYSERVICEACCOUNTPASSWORD: q8Zr-t5Lk!w2Vx7m9Bd\n", "t5Lk!w2Vx"},
		{"aB3xK9aB3xK9aB3xK9aB3xK9swordfish-and-a-half\n", "fish-and-a-half"},
	} {
		for _, after := range []string{"", "and then something else\n", strings.Repeat("aB3xK9+/", 8) + "\n"} {
			text := first + test.text + after
			want := r.String(text)
			if strings.Contains(want, test.secret) {
				t.Fatalf("%q is not found in %q", test.secret, text)
			}
			for size := 1; size <= len(text); size++ {
				if got := stream(t, r, text, size); strings.Contains(got, test.secret) {
					t.Errorf("in pieces of %d: streamed %q, whole %q", size, got, want)
				}
			}
			var out bytes.Buffer
			w := r.Writer(&out)
			for line := range strings.Lines(text) {
				if _, err := io.WriteString(w, line); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			if got := out.String(); got != want {
				t.Errorf("by line: streamed %q, whole %q", got, want)
			}
		}
	}
}
