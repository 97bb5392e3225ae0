package forge_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/stellwerk-dev/stellwerk/internal/forge"
)

// TestEveryNoteIsHandedOutOnce makes notes visible in any order, whatever their
// numbers and times, and looks in between.
func TestEveryNoteIsHandedOutOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		series := []string{forge.SeriesReview, forge.SeriesLine, forge.SeriesComment}
		numbers := rapid.SliceOfNDistinct(rapid.Int64Range(1, 1<<40), 1, 120, rapid.ID[int64]).Draw(t, "numbers")
		var visible []forge.Note
		got, cursor := map[string]int{}, ""
		look := func() (more bool) {
			var seen forge.Seen
			if err := seen.HandOut(cursor, visible); err != nil {
				t.Fatal(err)
			}
			for _, n := range seen.Notes {
				got[n.ID]++
			}
			cursor = seen.Cursor
			return seen.More
		}
		for _, n := range numbers {
			visible = append(visible, forge.Note{
				ID: forge.NoteID(rapid.SampledFrom(series).Draw(t, "series"), n),
				At: time.Unix(rapid.Int64Range(0, 5).Draw(t, "at"), 0),
			})
			if rapid.Bool().Draw(t, "look") {
				look()
			}
		}
		for look() {
		}
		look()
		for _, n := range visible {
			if got[n.ID] != 1 {
				t.Fatalf("%s was handed out %d times", n.ID, got[n.ID])
			}
		}
	})
}

func TestACursorStaysSmall(t *testing.T) {
	var notes []forge.Note
	for i := range 5000 {
		notes = append(notes, forge.Note{ID: forge.NoteID(forge.SeriesComment, int64(1_000_000_000+i)), At: time.Unix(int64(i), 0)})
	}
	var seen forge.Seen
	handed := 0
	for {
		if err := seen.HandOut(seen.Cursor, notes); err != nil {
			t.Fatal(err)
		}
		if handed += len(seen.Notes); !seen.More {
			break
		}
	}
	if handed != len(notes) || len(seen.Cursor) > 8<<10 {
		t.Errorf("%d handed out; the cursor has %d bytes", handed, len(seen.Cursor))
	}
}

func TestNotesAreInOrderAndBounded(t *testing.T) {
	late, early := time.Unix(9, 0), time.Unix(3, 0)
	var seen forge.Seen
	if err := seen.HandOut("", []forge.Note{
		{ID: "comment-1", At: late}, {ID: "comment-12", At: early}, {ID: "comment-4", At: early, Body: strings.Repeat("é", forge.MaxBody) + "\x1b[31m"},
	}); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, n := range seen.Notes {
		ids = append(ids, n.ID)
	}
	if fmt.Sprint(ids) != "[comment-4 comment-12 comment-1]" {
		t.Errorf("got %v", ids)
	}
	if body := seen.Notes[0].Body; len(body) > forge.MaxBody || !strings.Contains(body, "left out") || strings.Contains(body, "\x1b") {
		t.Errorf("%d bytes, ending in %q", len(body), body[len(body)-40:])
	}
}

func TestACursorThatIsNone(t *testing.T) {
	for _, cursor := range []string{"x", "[]", `{"comment":7}`, `{"comment":{"ids":["1"]}}`} {
		var seen forge.Seen
		if err := seen.HandOut(cursor, nil); !errors.Is(err, forge.ErrCursor) {
			t.Errorf("%s: %v", cursor, err)
		}
	}
	var seen forge.Seen
	if err := seen.HandOut(`{"comment":null}`, []forge.Note{{ID: "comment-1"}}); err != nil || len(seen.Notes) != 1 {
		t.Errorf("%v, %v", seen.Notes, err)
	}
}

func TestCombine(t *testing.T) {
	const none, wait, good, bad = forge.CIUnknown, forge.CIPending, forge.CIPassed, forge.CIFailed
	tests := []struct {
		of   []forge.CI
		want forge.CI
	}{
		{nil, none},
		{[]forge.CI{none}, none},
		{[]forge.CI{good, none}, good},
		{[]forge.CI{good, wait, good}, wait},
		{[]forge.CI{wait, bad, good}, bad},
		{[]forge.CI{bad, wait}, bad},
	}
	for _, test := range tests {
		if got := forge.Combine(test.of); got != test.want {
			t.Errorf("%q: %q, want %q", test.of, got, test.want)
		}
	}
}
