package shim

import (
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// wordless takes one word out of everything.
type wordless struct{}

const word = "hunter2-4f1a"

func (wordless) Redact(text string) string              { return strings.ReplaceAll(text, word, "") }
func (wordless) Stream(w io.Writer) io.WriteCloser      { return nopCloser{w} }
func (wordless) PlainStream(w io.Writer) io.WriteCloser { return nopCloser{w} }
func (wordless) Thread() func(string) string            { return wordless{}.Redact }

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// texts calls fn with every text in v, and its path.
func texts(v reflect.Value, path string, fn func(path string, text reflect.Value)) {
	switch v.Kind() {
	case reflect.String:
		fn(path, v)
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		texts(v.Elem(), path, fn)
	case reflect.Slice:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		}
		for i := range v.Len() {
			texts(v.Index(i), path+"[]", fn)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			texts(v.Field(i), strings.TrimPrefix(path+"."+v.Type().Field(i).Name, "."), fn)
		}
	default:
	}
}

// TestEveryWordOfAnEndIsRedacted, but for what the engine and this program wrote themselves and the names of documents, which
// are redacted when these are looked at. A field that is added must be one or the other.
func TestEveryWordOfAnEndIsRedacted(t *testing.T) {
	t.Parallel()
	own := []string{"Attempt", "Reason", "Signal", "Isolation", "Outcome.Class", "Outputs[].Name", "Outputs[].SHA256", "Refused[].Name", "Refused[].Reason",
		"HandIn.HandInResult.Commit", "HandIn.HandInResult.Left[]", "HandIn.Bundle", "HandIn.SHA256",
		"Resources.Held.Memory", "Resources.Held.Processes", "Resources.Held.CPU", "Resources.Held.Disk", "Resources.Breach.Resource"}
	var exit Exit
	texts(reflect.ValueOf(&exit).Elem(), "", func(_ string, text reflect.Value) { text.SetString("it is " + word) })
	exit.redact(wordless{})
	texts(reflect.ValueOf(&exit).Elem(), "", func(path string, text reflect.Value) {
		if isOwn := slices.Contains(own, path); strings.Contains(text.String(), word) != isOwn {
			t.Errorf("%s is %q", path, text)
		}
	})
}

// TestTheEndOfAFlood: of what was not passed on the last lines are kept, whole, and no more of them than asked for.
func TestTheEndOfAFlood(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		size, lines   int
		written, want string
	}{
		{8, 9, "", ""}, {8, 9, "ab\ncd\n", "ab\ncd\n"}, {8, 9, "ab\ncd", "ab\ncd"}, {8, 1, "ab\ncd\n", "cd\n"}, {8, 1, "ab\ncd", "cd"}, {8, 2, "a\nb\nc\n", "b\nc\n"},
		{8, 0, "ab\n", ""}, {8, 9, "1234567\n", "1234567\n"}, {8, 9, "x1234567\n", ""}, {8, 9, "xxxx\n1234567", "1234567"}, {8, 9, "xxxx\n12345678", ""},
		{8, 9, "xxxxxxxxxxxx\nab\ncd\n", "ab\ncd\n"}, {8, 1, "xxxxxxxxxxxx\nab\ncd\n", "cd\n"}, {4, 9, "\n\n\n\n\n\n", "\n\n\n"},
	} {
		for piece := 1; piece <= len(c.written)+1; piece++ {
			r := newRing(c.size)
			for part := range slices.Chunk([]byte(c.written), piece) {
				r.write(part)
			}
			if got := string(r.lastLines(c.lines)); got != c.want || r.total != int64(len(c.written)) {
				t.Errorf("the last %d lines of %q in pieces of %d: %q, %d bytes", c.lines, c.written, piece, got, r.total)
			}
		}
	}
}
