package document_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/document"
	"github.com/stellwerk-dev/stellwerk/internal/store"
	"github.com/stellwerk-dev/stellwerk/internal/store/sqlite/sqlitetest"
)

type documents = store.Documents

// crowded is a store in which somebody else changes a document between reading and
// putting, n times.
type crowded struct {
	documents
	n *int
}

func (c crowded) PutDocument(ctx context.Context, d store.Document) (store.Document, error) {
	if *c.n > 0 {
		*c.n--
		if err := document.Change(ctx, c.documents, d.Kind, d.Key, func(v *int) error { *v += 100; return nil }); err != nil {
			return d, err
		}
	}
	return c.documents.PutDocument(ctx, d)
}

// TestAChangeIsMadeToWhatIsThere: whoever was faster is not overwritten.
func TestAChangeIsMadeToWhatIsThere(t *testing.T) {
	db, others := sqlitetest.New(t), 3
	asked := 0
	err := document.Change(t.Context(), crowded{db, &others}, "k", "a", func(v *int) error {
		asked++
		*v++
		return nil
	})
	k, readErr := document.Read[int](t.Context(), db, "k", "a")
	if err != nil || readErr != nil || k.Value != 301 || asked != 4 {
		t.Errorf("%d after %d tries, %v, %v", k.Value, asked, err, readErr)
	}
}

func TestAChangeThatIsRefusedChangesNothing(t *testing.T) {
	db, no := sqlitetest.New(t), errors.New("no")
	if err := document.Put(t.Context(), db, "k", "a", 0, 1); err != nil {
		t.Fatal(err)
	}
	for refusal, want := range map[error]error{no: no, document.ErrKeep: nil} {
		err := document.Change(t.Context(), db, "k", "a", func(v *int) error { *v = 9; return refusal })
		if !errors.Is(err, want) {
			t.Errorf("%v, not %v", err, want)
		}
	}
	list, err := document.List[int](t.Context(), db, "k", "")
	if err != nil || len(list) != 1 || list[0].Value != 1 || list[0].Key != "a" {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestWhatSomebodyElseChangedIsNotRemoved(t *testing.T) {
	db := sqlitetest.New(t)
	for _, v := range []int{1, 2} {
		if err := document.Change(t.Context(), db, "k", "a", func(have *int) error { *have = v; return nil }); err != nil {
			t.Fatal(err)
		}
	}
	k, err := document.Read[int](t.Context(), db, "k", "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := document.Remove(t.Context(), db, "k", "a", k.Version-1); err != nil {
		t.Fatal(err)
	}
	if _, err := document.Read[int](t.Context(), db, "k", "a"); err != nil {
		t.Errorf("it is gone: %v", err)
	}
	if err := document.Remove(t.Context(), db, "k", "a", k.Version); err != nil {
		t.Fatal(err)
	}
	if _, err := document.Read[string](t.Context(), db, "k", "a"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("it is there: %v", err)
	}
}

func TestWhatIsNoValueIsAnError(t *testing.T) {
	db := sqlitetest.New(t)
	if err := document.Put(t.Context(), db, "k", "a", 0, "text"); err != nil {
		t.Fatal(err)
	}
	if _, err := document.Read[int](t.Context(), db, "k", "a"); err == nil {
		t.Error("it was read")
	}
	if err := document.Change(t.Context(), db, "k", "a", func(*int) error { return nil }); err == nil {
		t.Error("it was changed")
	}
}
