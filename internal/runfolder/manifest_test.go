package runfolder

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/core"
)

func TestReadManifest(t *testing.T) {
	path := filepath.Join(t.TempDir(), ManifestFile)
	if _, err := ReadManifest(path); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("missing: %v", err)
	}
	for _, n := range []int{0, 1, 50} {
		events := history(t, n, "a")
		if err := os.WriteFile(path, manifest(t, events), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := ReadManifest(path)
		if err != nil || len(m.Events) != n || m.Head != headOf(t, events) || m.TornTail != nil {
			t.Fatalf("%d events: %+v, %v", n, m.Head, err)
		}
		if !bytes.Equal(manifest(t, m.Events), manifest(t, events)) {
			t.Errorf("%d events changed by reading", n)
		}
	}
}

// TestBadManifests spoils line 3 of 5, or what follows it.
func TestBadManifests(t *testing.T) {
	events := history(t, 5, "a")
	fork := extend(t, events[:2], 3, "b")
	lines := func(events []core.Event) []string {
		return strings.SplitAfter(strings.TrimSuffix(string(manifest(t, events)), "\n"), "\n")
	}
	edit := func(from, to string) func([]string) []string {
		return func(l []string) []string {
			spoilt := strings.Replace(l[2], from, to, 1)
			if spoilt == l[2] {
				t.Fatalf("nothing to spoil: %q", from)
			}
			l[2] = spoilt
			return l
		}
	}
	for name, tt := range map[string]struct {
		spoil func([]string) []string
		line  int64
		code  core.Code
		words string
	}{
		"NUL bytes":       {edit(`"seq"`, "\x00seq\x00"), 3, core.CodeInvalid, "NUL byte at column"},
		"invalid JSON":    {edit(`{`, `{{`), 3, core.CodeInvalid, "not an event"},
		"half a line":     {func(l []string) []string { l[2] = l[2][:40] + "\n"; return l }, 3, core.CodeInvalid, "not an event"},
		"blank line":      {func(l []string) []string { l[2] = "\n" + l[2]; return l }, 3, core.CodeInvalid, "not an event"},
		"duplicate key":   {edit(`"v":1`, `"v":1,"v":1`), 3, core.CodeInvalid, "not an event"},
		"key in capitals": {edit(`"v":1`, `"V":1`), 3, core.CodeInvalid, "not an event"},
		"unknown field":   {edit(`"v":1`, `"v":1,"w":1`), 3, core.CodeInvalid, "not written the way"},
		"other spacing":   {edit(`"v":1`, `"v": 1`), 3, core.CodeInvalid, "not written the way"},
		"invalid UTF-8":   {edit(`TimerFired`, "Timer\xffired"), 3, core.CodeInvalid, "not an event"},
		"unknown type":    {edit(`TimerFired`, `TimerTired`), 3, core.CodeUnsupported, "TimerTired"},
		"newer version":   {edit(`"v":1`, `"v":9`), 3, core.CodeUnsupported, "version 9"},
		"wrong id":        {edit(`0198#3"`, `0198#2"`), 3, core.CodeInvalid, "has the id"},
		"20 MB line":      {edit(`"v":1`, `"v":1,"w":"`+strings.Repeat("x", 20<<20)+`"`), 3, core.CodeInvalid, "longer than 16 MiB"},
		"same line twice": {func(l []string) []string { l[3] = l[2] + l[3]; return l }, 4, core.CodeInvalid, "appears twice: it is already in line 3"},
		"a line missing":  {func(l []string) []string { l[2] = ""; return l }, 3, core.CodeInvalid, "found event 4 instead of event 3"},
		"other stream":    {edit(`"stream":"run/0198"`, `"stream":"run/0199"`), 3, core.CodeInvalid, "in the manifest of"},
		"forked history":  {func(l []string) []string { return append(l[:3], lines(fork)[3:]...) }, 4, core.CodeForked, "forks at event 4"},
		"changed body":    {edit(`"timer":"a"`, `"timer":"b"`), 4, core.CodeForked, "forks at event 4"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Join(tt.spoil(lines(events)), "") + "\n"
			_, err := Scan(strings.NewReader(text), "manifest", func(core.Event) error { return nil })
			var at *LineError
			if !errors.As(err, &at) || at.Line != tt.line || !strings.Contains(err.Error(), tt.words) {
				t.Fatalf("got %.300v, want line %d: %s", err, tt.line, tt.words)
			}
			if core.CodeOf(err) != tt.code {
				t.Errorf("code %s, want %s", core.CodeOf(err), tt.code)
			}
		})
	}
}

// TestOnlyTheLastLineIsTorn sees that a spoilt last line with its newline is
// not taken for an unfinished one.
func TestOnlyTheLastLineIsTorn(t *testing.T) {
	text := string(manifest(t, history(t, 2, "a"))) + "{\"id\":\n"
	var at *LineError
	if _, err := Scan(strings.NewReader(text), "m", func(core.Event) error { return nil }); !errors.As(err, &at) || at.Line != 3 {
		t.Errorf("got %v, want an error in line 3", err)
	}
	path := t.TempDir()
	if err := os.WriteFile(filepath.Join(path, ManifestFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("open: %v", err)
	}
	if err := os.WriteFile(filepath.Join(path, ManifestFile), bytes.Repeat([]byte("x"), 20<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, errTooLong) || core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("open with a line of 20 MB: %v", err)
	}
}

// FuzzReadManifest never accepts what is not, byte for byte, the manifest of
// the events it returns.
func FuzzReadManifest(f *testing.F) {
	good := manifest(f, history(f, 3, "a"))
	f.Add(good)
	f.Add(good[:len(good)-5])
	f.Add(append(good[:len(good):len(good)], 0, 0, '\n'))
	f.Add([]byte("\n"))
	f.Add([]byte("{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var events []core.Event
		m, err := Scan(bytes.NewReader(data), "fuzz", func(e core.Event) error {
			events = append(events, e)
			return nil
		})
		if err != nil {
			var at *LineError
			if !errors.As(err, &at) {
				t.Fatalf("no line in %v", err)
			}
			return
		}
		read := manifest(t, events)
		rest := data[len(read):]
		if !bytes.HasPrefix(data, read) || (len(rest) > 0) != (m.TornTail != nil) {
			t.Fatalf("read %d of %d bytes, torn %v", len(read), len(data), m.TornTail)
		}
		if m.TornTail != nil && (m.TornTail.Offset != int64(len(read)) || m.TornTail.Bytes != int64(len(rest))) {
			t.Fatalf("torn %+v, want offset %d", m.TornTail, len(read))
		}
		if _, err := core.VerifyChain(core.Head{}, events); err != nil {
			t.Fatal(err)
		}
	})
}
