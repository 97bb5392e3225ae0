package storetest

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

// testHeads lists every stream once, wherever it stands, whole and piece by piece.
func testHeads(t *testing.T, open Open) {
	a, b := open(t), open(t)
	if heads, err := a.Heads(t.Context(), "", 0); err != nil || len(heads) != 0 {
		t.Fatalf("an empty store has %v, %v", heads, err)
	}
	var want []store.StreamHead
	for n, stream := range []string{"run/b", "project/ü", "run/B", "run/a/c", "project/p", "run/a"} {
		for range n {
			push(t, a, stream)
		}
		want = append(want, store.StreamHead{Stream: stream, Head: push(t, b, stream)})
	}
	slices.SortFunc(want, func(x, y store.StreamHead) int { return cmp.Compare(x.Stream, y.Stream) })
	all, err := b.Heads(t.Context(), "", 0)
	if err != nil || !slices.Equal(all, want) {
		t.Errorf("got  %v, %v\nwant %v", all, err, want)
	}
	var pieces []store.StreamHead
	for after := ""; ; after = pieces[len(pieces)-1].Stream {
		piece, err := a.Heads(t.Context(), after, 2)
		if err != nil || len(piece) > 2 {
			t.Fatalf("after %q: %v, %v", after, piece, err)
		}
		if len(piece) == 0 {
			break
		}
		pieces = append(pieces, piece...)
	}
	if !slices.Equal(pieces, want) {
		t.Errorf("piece by piece %v", pieces)
	}
}
