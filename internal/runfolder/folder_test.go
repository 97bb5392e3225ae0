package runfolder

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

const stream = "run/0198"

// history seals n events, each different from those of another kind.
func history(t testing.TB, n int, kind string) []core.Event {
	t.Helper()
	return extend(t, nil, n, kind)
}

func extend(t testing.TB, events []core.Event, n int, kind string) []core.Event {
	t.Helper()
	head, err := core.VerifyChain(core.Head{}, events)
	if err != nil {
		t.Fatal(err)
	}
	events = events[:len(events):len(events)]
	for range n {
		var e core.Event
		now := time.Date(2026, 3, 1, 12, 0, int(head.Seq), 1000, time.UTC)
		e, head, err = core.Seal(stream, head, now, core.Person("a <b> & c"), "", core.TimerFired{Timer: kind})
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

func manifest(t testing.TB, events []core.Event) []byte {
	t.Helper()
	var all []byte
	for _, e := range events {
		line, err := e.Line()
		if err != nil {
			t.Fatal(err)
		}
		all = append(append(all, line...), '\n')
	}
	return all
}

func openTemp(t *testing.T) *Folder {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "runs", "0198"))
}

func openAt(t *testing.T, path string) *Folder {
	t.Helper()
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return f
}

func appendAll(t *testing.T, f *Folder, events []core.Event) {
	t.Helper()
	if err := f.Append(events, core.Decode); err != nil {
		t.Fatalf("append: %v", err)
	}
}

func wantFile(t *testing.T, f *Folder, name string, want []byte) {
	t.Helper()
	got, err := os.ReadFile(f.at(name))
	if err != nil || !bytes.Equal(got, want) {
		t.Fatalf("%s: %v\ngot  %.300q\nwant %.300q", name, err, got, want)
	}
}

func wantFork(t *testing.T, err error, seq int64) {
	t.Helper()
	var fork *Fork
	if !errors.As(err, &fork) || fork.Seq != seq || core.CodeOf(err) != core.CodeForked {
		t.Errorf("got %v, want a fork at event %d", err, seq)
	}
}

func TestAppend(t *testing.T) {
	f := openTemp(t)
	events := history(t, 9, "a")
	if f.Head() != (core.Head{}) || f.Append(nil, core.Decode) != nil {
		t.Fatal("a new folder is not empty")
	}
	appendAll(t, f, events[:3])
	appendAll(t, f, events[:3])  // the same again
	appendAll(t, f, events[1:2]) // an old one
	appendAll(t, f, events[1:6]) // overlapping
	again := openAt(t, f.path)   // another writer
	appendAll(t, again, events[:8])
	appendAll(t, f, events[7:]) // has to learn what the other wrote
	wantFile(t, f, ManifestFile, manifest(t, events))
	want, err := core.VerifyChain(core.Head{}, events)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []core.Head{f.Head(), openAt(t, f.path).Head()} {
		if got != want {
			t.Errorf("head %+v, want %+v", got, want)
		}
	}
	if info, err := os.Stat(f.at(ManifestFile)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
}

func TestAppendRefuses(t *testing.T) {
	f := openTemp(t)
	events := history(t, 6, "a")
	appendAll(t, f, events[:3])
	before := manifest(t, events[:3])
	if err := f.Append(events[4:], core.Decode); core.CodeOf(err) != core.CodeInvalid || !strings.Contains(err.Error(), "ends at event 3") {
		t.Errorf("a gap: %v", err)
	}
	other := extend(t, events[:1], 5, "b") // differs from event 2 on
	wantFork(t, f.Append(other, core.Decode), 2)
	wantFork(t, f.Append(other[2:3], core.Decode), 3)
	wantFork(t, f.Append(other[3:], core.Decode), 3)
	stranger := events[3]
	stranger.Stream = "run/other"
	if err := f.Append([]core.Event{stranger}, core.Decode); err == nil {
		t.Error("an event of another run is taken")
	}
	broken := append([]core.Event(nil), events[3:]...)
	broken[1].PrevHash = broken[0].PrevHash
	if err := f.Append(broken, core.Decode); core.CodeOf(err) != core.CodeForked {
		t.Errorf("a broken chain: %v", err)
	}
	huge, _, err := core.Seal(stream, f.Head(), time.Now(), core.Engine(), "", core.TimerFired{Timer: "t"})
	if err != nil {
		t.Fatal(err)
	}
	huge.Body = []byte(`{"timer":"` + strings.Repeat("x", MaxLine) + `"}`) // no engine seals such a body
	if err := f.Append([]core.Event{huge}, core.Decode); !errors.Is(err, errTooLong) {
		t.Errorf("a line nobody could read: %v", err)
	}
	wantFile(t, f, ManifestFile, before)
}

// TestTornTail cuts a manifest at every byte of its last line.
func TestTornTail(t *testing.T) {
	events := history(t, 3, "a")
	whole, kept := manifest(t, events), manifest(t, events[:2])
	path := filepath.Join(t.TempDir(), "run")
	for cut := len(kept) + 1; cut < len(whole); cut++ {
		f := openAt(t, path)
		if err := os.WriteFile(f.at(ManifestFile), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := ReadManifest(f.at(ManifestFile))
		if err != nil || len(m.Events) != 2 || m.TornTail == nil || *m.TornTail != (Torn{3, int64(len(kept)), int64(cut - len(kept))}) {
			t.Fatalf("cut at %d: %d events, torn %v, %v", cut, len(m.Events), m.TornTail, err)
		}
		f = openAt(t, path)
		if f.tail.torn == nil || f.Head() != m.Head {
			t.Fatalf("cut at %d: opened at %+v, torn %v", cut, f.Head(), f.tail.torn)
		}
		appendAll(t, f, events)
		wantFile(t, f, ManifestFile, whole)
		if f.tail.torn != nil {
			t.Fatal("still torn")
		}
	}
}

// TestHoles has the last line end in, or consist of, bytes never written.
func TestHoles(t *testing.T) {
	events := history(t, 3, "a")
	kept := manifest(t, events[:2])
	last := manifest(t, events[2:])
	for name, tail := range map[string][]byte{
		"only holes":         make([]byte, 5000),
		"holes and newline":  append(make([]byte, 5000), '\n'),
		"a hole in the line": append(append(append([]byte(nil), last[:20]...), make([]byte, 20)...), last[40:]...),
	} {
		f := openTemp(t)
		if err := os.WriteFile(f.at(ManifestFile), append(kept[:len(kept):len(kept)], tail...), 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := ReadManifest(f.at(ManifestFile))
		if err != nil || len(m.Events) != 2 || m.TornTail == nil {
			t.Fatalf("%s: %d events, torn %v, %v", name, len(m.Events), m.TornTail, err)
		}
		appendAll(t, f, events)
		wantFile(t, f, ManifestFile, manifest(t, events))
	}
}

// TestAHoleBeforeWholeLines: of lines that were written at once the later ones may have reached the disk alone.
func TestAHoleBeforeWholeLines(t *testing.T) {
	f := openTemp(t)
	events := history(t, 5, "a")
	kept, whole := manifest(t, events[:2]), manifest(t, events)
	for from := len(kept); from < len(whole)-len(manifest(t, events[4:])); from += 7 {
		holed := bytes.Clone(whole)
		clear(holed[from : from+20])
		if err := os.WriteFile(f.at(ManifestFile), holed, 0o600); err != nil {
			t.Fatal(err)
		}
		again := openAt(t, f.path)
		if head := again.Head(); head.Seq < 2 || head.Seq > 4 || again.tail.torn == nil {
			t.Fatalf("a hole at %d: %+v, torn %v", from, head, again.tail.torn)
		}
		appendAll(t, again, events)
		wantFile(t, again, ManifestFile, whole)
	}
}

func TestOpenUnderstandsTheLastLineOnly(t *testing.T) {
	f := openTemp(t)
	events := history(t, 2, "a")
	long, _, err := core.Seal(stream, headOf(t, events), time.Unix(9e9, 0), core.Engine(), "",
		core.TimerFired{Timer: strings.Repeat("long ", 10_000)})
	if err != nil {
		t.Fatal(err)
	}
	events = append(events, long)
	data := manifest(t, events)
	copy(data, "garbage that nobody reads")
	if err := os.WriteFile(f.at(ManifestFile), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := openAt(t, f.path).Head(); got != headOf(t, events) {
		t.Errorf("head %+v, want %+v", got, headOf(t, events))
	}
}

func headOf(t *testing.T, events []core.Event) core.Head {
	t.Helper()
	head, err := core.VerifyChain(core.Head{}, events)
	if err != nil {
		t.Fatal(err)
	}
	return head
}

// TestManyWriters lets several append the same history at once: it is there
// once.
func TestManyWriters(t *testing.T) {
	f := openTemp(t)
	events := history(t, 40, "a")
	writers := []*Folder{f, openAt(t, f.path), openAt(t, f.path)}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			for n := range events {
				if err := writers[i%3].Append(events[:n+1], core.Decode); err != nil {
					t.Errorf("writer %d: %v", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
	wantFile(t, f, ManifestFile, manifest(t, events))
}

func TestFolderCannotBeMade(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "run")); core.CodeOf(err) != core.CodeUnavailable || wording.Hint(err) == "" {
		t.Errorf("got %v", err)
	}
}
