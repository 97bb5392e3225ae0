package shim

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// transcript writes entries of about so many bytes each and a torn one.
func transcript(t *testing.T, entries, size int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), journalFile)
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("x", size)
	for n := range entries {
		if _, err := fmt.Fprintf(file, `{"n":%d,"at":"2026-01-02T03:04:05Z","record":{"kind":"text","text":%q}}`+"\n", n+1, text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := file.WriteString(`{"n":`); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// numbers are those of a page's entries, which have to follow one another.
func numbers(t *testing.T, p Page) (first, last int64) {
	t.Helper()
	for i, e := range p.Entries {
		if i > 0 && e.N != p.Entries[i-1].N+1 {
			t.Fatalf("after entry %d comes %d", p.Entries[i-1].N, e.N)
		}
	}
	if len(p.Entries) == 0 {
		return 0, 0
	}
	return p.Entries[0].N, p.Entries[len(p.Entries)-1].N
}

func TestPagesLeadThroughAWholeTranscript(t *testing.T) {
	for _, size := range []int{1, 300, 70_000} {
		path := transcript(t, 95, size)
		want, end := int64(95), int64(0)
		for want > 0 {
			page, err := PageBefore(path, end, 10)
			if err != nil {
				t.Fatal(err)
			}
			first, last := numbers(t, page)
			if last != want || len(page.Entries) > 10 || first < 1 {
				t.Fatalf("entries of %d bytes: got %d to %d, want up to %d", size, first, last, want)
			}
			again, err := PageAfter(path, page.Begin, len(page.Entries))
			if from, to := numbers(t, again); err != nil || from != first || to != last || again.End != page.End {
				t.Fatalf("forwards: %d to %d, %v; backwards: %d to %d", from, to, err, first, last)
			}
			want, end = first-1, page.Begin
		}
		if end != 0 {
			t.Errorf("the first entry begins at byte %d", end)
		}
	}
}

func TestAPageIsBounded(t *testing.T) {
	path := transcript(t, 40, 100_000)
	back, err := PageBefore(path, 0, 1000)
	if err != nil || len(back.Entries) == 0 || back.End-back.Begin > 2*pageBytes {
		t.Errorf("%d entries, %d bytes, %v", len(back.Entries), back.End-back.Begin, err)
	}
	forth, err := PageAfter(path, 0, 1000)
	if err != nil || len(forth.Entries) == 0 || forth.End-forth.Begin > 2*pageBytes {
		t.Errorf("%d entries, %d bytes, %v", len(forth.Entries), forth.End-forth.Begin, err)
	}
	huge := transcript(t, 3, 3*pageBytes)
	if page, err := PageBefore(huge, 0, 10); err != nil || len(page.Entries) != 1 || page.Entries[0].N != 3 {
		t.Errorf("an entry longer than a page: %d entries, %v", len(page.Entries), err)
	}
}

func TestWhereNoEntryBegins(t *testing.T) {
	path := transcript(t, 3, 10)
	for _, at := range []int64{-1, 5, 1 << 40} {
		if _, err := PageAfter(path, at, 1); !errors.Is(err, ErrPlace) {
			t.Errorf("after %d: %v", at, err)
		}
		if _, err := PageBefore(path, at, 1); !errors.Is(err, ErrPlace) {
			t.Errorf("before %d: %v", at, err)
		}
	}
	empty := transcript(t, 0, 0)
	if page, err := PageBefore(empty, 0, 5); err != nil || page.Begin != 0 || page.End != 0 || page.Entries != nil {
		t.Errorf("nothing but a torn line: %+v, %v", page, err)
	}
	if _, err := PageAfter(path+".none", 0, 1); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a transcript: %v", err)
	}
}

func TestAPageOfALongTranscriptTakesLittle(t *testing.T) {
	path := transcript(t, 1000, 100_000) // a hundred megabytes
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	newest, err := PageBefore(path, 0, 100)
	if err != nil || newest.Entries[len(newest.Entries)-1].N != 1000 {
		t.Fatalf("%d entries, %v", len(newest.Entries), err)
	}
	if earlier, err := PageBefore(path, newest.Begin, 100); err != nil || earlier.End != newest.Begin {
		t.Fatalf("what came before ends at %d, %v", earlier.End, err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 20<<20 {
		t.Errorf("two pages took %d bytes of memory", used)
	}
}
