package broker

import (
	"strings"
	"testing"
)

func TestMembers(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"x","delta":{"text":"a\"b\\","n":12,"last":"\\\\"}}`: `type=x text=a\"b\\ n=12 last=\\\\`,
		`{ "a" : "b" , "c" :` + "\n" + ` 7 }`:                         `a=b c=7`,
		`{"a":["x","y"],"b":null,"c":true,"d":-1}`:                    `a=x`,
		`{"a":"not closed`:                      `a=not closed`,
		`{"a":"text with \"text\":\"inside\""}`: `a=text with \"text\":\"inside\"`,
		``:                                      ``, `{}`: ``, `"`: ``, `"a":`: ``, `[1,2]`: ``,
	} {
		var got []string
		for key, value := range members([]byte(text)) {
			got = append(got, string(key)+"="+string(value))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s has %v, not %s", text, got, want)
		}
	}
}

func TestWholeEvents(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "\n": 1, "a": 0, "a\n": 0, "a\n\n": 3, "a\n\nb\n": 3, "a\r\n\r\n": 5, "a\r\n\r\nb\r\n": 5, "a\n\nb\n\n": 6, "a\nb\n\nc": 5,
	} {
		if got := (&eventReader{}).feed([]byte(text)); got != want {
			t.Errorf("%q: %d, not %d", text, got, want)
		}
	}
}

func TestEventsAreHeldBackUntilTheyAreWhole(t *testing.T) {
	const text = "a: 1\n\nb: 22\nc\n\nd\r\n\r\ne: 3\n\nrest"
	for size := 1; size <= len(text); size++ {
		var reader eventReader
		var b eventBuffer
		got := ""
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			out := string(b.add([]byte(rest[:n]), reader.feed([]byte(rest[:n]))))
			if out != "" && (&eventReader{}).feed([]byte(out)) != len(out) {
				t.Errorf("in pieces of %d, %q is passed on", size, out)
			}
			got, rest = got+out, rest[n:]
		}
		if got+"rest" != text || string(b.kept) != "rest" {
			t.Errorf("in pieces of %d: %q and %q are kept", size, got, b.kept)
		}
	}
}
