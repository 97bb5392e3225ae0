package postgres

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object/objecttest"
	"github.com/stellwerk-dev/stellwerk/internal/pg"
	"github.com/stellwerk-dev/stellwerk/internal/pg/pgtest"
	"github.com/stellwerk-dev/stellwerk/internal/waittest"
)

// TestPutWhoseConnectionBreaks at any answer: what Put returned is whole, and what broke off can be put again and leaves nothing.
func TestPutWhoseConnectionBreaks(t *testing.T) {
	for name, size := range map[string]int{"one row": 100, "two rows": chunk + 100} {
		t.Run(name, func(t *testing.T) {
			address := migrated(t)
			network, through := pgtest.Through(t, address)
			direct, pool := connect(t, address), connect(t, through)
			o, objects := New(pool, ""), 0
			for nth := int64(1); ; nth++ {
				content := fmt.Sprint(nth) + strings.Repeat("0123456789abcdef", size/16)
				network.CutAtAnswer(nth)
				digest, _, err := o.Put(t.Context(), strings.NewReader(content), 0)
				cut := network.Swallowed()
				if err != nil && (!cut || core.CodeOf(err) != core.CodeUnavailable) {
					t.Fatalf("answer %d, lost: %t: it says %v", nth, cut, err)
				}
				if err != nil {
					digest = put(t, o, content)
				}
				if err := o.Verify(t.Context(), digest); err != nil {
					t.Errorf("answer %d: %v", nth, err)
				}
				objects++
				if !cut {
					break
				}
			}
			for range 2 {
				later(t, direct)
				sweep(t, o)
			}
			rows := objects * (1 + size/chunk)
			if n, chunks, left := count(t, direct, "objects"), count(t, direct, "object_chunks"), count(t, direct, "object_uploads"); n != objects || chunks != rows || left != 0 {
				t.Errorf("%d objects of %d rows, and %d uploads, are there, want %d of %d", n, chunks, left, objects, rows)
			}
			t.Logf("%d answers were lost", objects-1)
		})
	}
}

// TestPutIntoTheDark fails by itself, with words, and works when there is a way again.
func TestPutIntoTheDark(t *testing.T) {
	network, through := pgtest.Through(t, migrated(t))
	pool, err := pg.Limits{Silence: 300 * time.Millisecond}.Connect(t.Context(), through)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	t.Cleanup(network.Cut)
	o := New(pool, "")
	network.Lose()
	for range 2 {
		_, _, err := o.Put(t.Context(), strings.NewReader(three), 0)
		if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "the database ") {
			t.Errorf("it says %v", err)
		}
	}
	network.Find()
	if !waittest.Until(func() bool {
		digest, _, err := o.Put(t.Context(), strings.NewReader(three), 0)
		return err == nil && o.Verify(t.Context(), digest) == nil
	}) {
		t.Error("it does not go on")
	}
}

// TestConformanceThroughAPooler that gives out connections by the transaction.
func TestConformanceThroughAPooler(t *testing.T) {
	pooled := pgtest.Pooler(t)
	objecttest.Run(t, func(t *testing.T) objecttest.Form { return form(t, pooled) })
}
