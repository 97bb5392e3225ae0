package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stellwerk-dev/stellwerk/internal/store"
)

func putDocument(t *testing.T, s store.Store, kind, key string, version int64, data string) store.Document {
	t.Helper()
	d, err := s.PutDocument(t.Context(), store.Document{Kind: kind, Key: key, Version: version, Data: []byte(data)})
	if err != nil {
		t.Fatalf("put %s %s over version %d: %v", kind, key, version, err)
	}
	return d
}

func wantDocument(t *testing.T, s store.Store, want store.Document) {
	t.Helper()
	got, err := s.Document(t.Context(), want.Kind, want.Key)
	if err != nil || !sameDocument(got, want) {
		t.Fatalf("document: %+v, %v, want %+v", got, err, want)
	}
}

func sameDocument(a, b store.Document) bool {
	return a.Kind == b.Kind && a.Key == b.Key && a.Version == b.Version && a.At.Equal(b.At) && bytes.Equal(a.Data, b.Data)
}

// wantStale tries to change a document as somebody who read that version of it.
func wantStale(t *testing.T, s store.Store, kind, key string, version int64) {
	t.Helper()
	_, err := s.PutDocument(t.Context(), store.Document{Kind: kind, Key: key, Version: version, Data: []byte("late")})
	wantErr(t, err, store.ErrStale)
	if version != 0 {
		wantErr(t, s.DeleteDocument(t.Context(), kind, key, version), store.ErrStale)
	}
}

func testDocument(t *testing.T, open Open) {
	s, other := open(t), open(t)
	_, err := s.Document(t.Context(), "k", "a")
	wantErr(t, err, store.ErrNotFound)
	wantStale(t, s, "k", "a", 1)

	before, err := s.Now(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first := putDocument(t, s, "k", "a", 0, "one")
	if first.Version < 1 || string(first.Data) != "one" || first.At.Before(before) {
		t.Fatalf("put: %+v, want a version and a time from %s", first, before)
	}
	wantDocument(t, other, first)
	wantStale(t, other, "k", "a", 0)
	wantStale(t, other, "k", "a", first.Version+1)

	second := putDocument(t, other, "k", "a", first.Version, "two\x00\xff")
	if second.Version <= first.Version || second.At.Before(first.At) {
		t.Fatalf("put again: %+v after %+v", second, first)
	}
	wantDocument(t, s, second)
	wantStale(t, s, "k", "a", first.Version)
	wantDocument(t, s, second)

	empty := putDocument(t, s, "other", "a", 0, "")
	wantDocument(t, s, empty)
	if err := s.DeleteDocument(t.Context(), "k", "a", second.Version); err != nil {
		t.Fatalf("delete: %v", err)
	}
	_, err = other.Document(t.Context(), "k", "a")
	wantErr(t, err, store.ErrNotFound)
	wantDocument(t, other, empty)
}

// testDocumentAgain makes a deleted document again: whoever read the one before
// must not take it for that.
func testDocumentAgain(t *testing.T, open Open) {
	s := open(t)
	var seen []int64
	for i := range 3 {
		d := putDocument(t, s, "k", "a", 0, fmt.Sprint(i))
		for _, old := range seen {
			wantStale(t, s, "k", "a", old)
		}
		wantDocument(t, s, d)
		if err := s.DeleteDocument(t.Context(), "k", "a", d.Version); err != nil {
			t.Fatalf("delete: %v", err)
		}
		wantStale(t, s, "k", "a", d.Version)
		seen = append(seen, d.Version)
	}
}

// testDocumentRace has two engines count in one document. Each that finds it
// moved reads it again, so no increase is lost and none counts twice.
func testDocumentRace(t *testing.T, open Open) {
	stores := []store.Store{open(t), open(t)}
	const each, counters = 25, 4
	outcome := make(chan error, counters)
	for i := range counters {
		go func() {
			var err error
			for n := 0; n < each && err == nil; n++ {
				err = count(t, stores[i%2])
			}
			outcome <- err
		}()
	}
	for range counters {
		if err := <-outcome; err != nil {
			t.Error(err)
		}
	}
	d, err := stores[0].Document(t.Context(), "k", "counter")
	if want := strconv.Itoa(each * counters); err != nil || string(d.Data) != want {
		t.Errorf("counted to %s, %v, want %s", d.Data, err, want)
	}
}

func count(t *testing.T, s store.Store) error {
	for {
		d, err := s.Document(t.Context(), "k", "counter")
		if errors.Is(err, store.ErrNotFound) {
			d, err = store.Document{Kind: "k", Key: "counter", Data: []byte("0")}, nil
		}
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(string(d.Data))
		if err != nil {
			return err
		}
		d.Data = []byte(strconv.Itoa(n + 1))
		if _, err = s.PutDocument(t.Context(), d); !errors.Is(err, store.ErrStale) {
			return err
		}
	}
}

// testDocumentClaim has many engines make the same document, then remove it.
func testDocumentClaim(t *testing.T, open Open) {
	stores := []store.Store{open(t), open(t)}
	once := func(do func(store.Store) error) {
		t.Helper()
		outcome := make(chan error, 20)
		for i := range cap(outcome) {
			go func() { outcome <- do(stores[i%2]) }()
		}
		won := 0
		for range cap(outcome) {
			switch err := <-outcome; {
			case err == nil:
				won++
			case !errors.Is(err, store.ErrStale):
				t.Errorf("got %v, want ErrStale", err)
			}
		}
		if won != 1 {
			t.Errorf("%d succeeded, want 1", won)
		}
	}
	once(func(s store.Store) error {
		_, err := s.PutDocument(t.Context(), store.Document{Kind: "k", Key: "a"})
		return err
	})
	d, err := stores[0].Document(t.Context(), "k", "a")
	if err != nil {
		t.Fatal(err)
	}
	once(func(s store.Store) error { return s.DeleteDocument(t.Context(), "k", "a", d.Version) })
}

// testDocuments puts several: all of them, or none if one is refused.
func testDocuments(t *testing.T, open Open) {
	s := open(t)
	one := putDocument(t, s, "k", "one", 0, "1")
	both := []store.Document{{Kind: "k", Key: "two", Data: []byte("2")}, {Kind: "k", Key: "one", Version: one.Version, Data: []byte("3")}}
	kept, err := s.PutDocuments(t.Context(), both)
	if err != nil || len(kept) != 2 || kept[0].Version <= one.Version || kept[1].Version <= kept[0].Version {
		t.Fatalf("put: %+v, %v", kept, err)
	}
	for _, d := range kept {
		wantDocument(t, s, d)
	}
	for refusal, last := range map[error]store.Document{
		store.ErrStale: {Kind: "k", Key: "one", Version: one.Version},
		store.ErrUnfit: {Kind: "k", Key: ""},
	} {
		_, err = s.PutDocuments(t.Context(), []store.Document{{Kind: "k", Key: "three"}, {Kind: "k", Key: "two", Version: kept[0].Version}, last})
		wantErr(t, err, refusal)
		_, err = s.Document(t.Context(), "k", "three")
		wantErr(t, err, store.ErrNotFound)
		wantDocument(t, s, kept[0])
	}
}

// testDocumentList reads documents by prefix and in pages, in the order of the
// keys' bytes, which is neither that of their making nor that of any language.
func testDocumentList(t *testing.T, open Open) {
	s := open(t)
	keys := []string{"run/b", "run/a", "run/", "run", "Run/c", "run/\U0010ffff", "run/ä", "run/z", "run0", "run/a%", "run/a_b", "é"}
	for _, key := range keys {
		putDocument(t, s, "k", key, 0, "of "+key)
	}
	putDocument(t, s, "kk", "run/other", 0, "")
	slices.Sort(keys)
	for _, prefix := range []string{"", "r", "run", "run/", "run/a", "run/a%", "run/a_", "run/\U0010ffff", "none"} {
		for _, after := range []string{"", "Run/c", "run/", "run/a", "run/b\x01", "run0", "ü"} {
			for _, limit := range []int{0, 1, 3, 100} {
				var want []string
				for _, key := range keys {
					if strings.HasPrefix(key, prefix) && key > after && (limit == 0 || len(want) < limit) {
						want = append(want, key)
					}
				}
				list, err := s.Documents(t.Context(), "k", prefix, after, limit)
				var got []string
				for _, d := range list {
					got = append(got, d.Key)
				}
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("prefix %q after %q limit %d: %q, %v, want %q", prefix, after, limit, got, err, want)
				}
			}
		}
	}
	list, err := s.Documents(t.Context(), "k", "run/a_", "", 0)
	if err != nil || len(list) != 1 {
		t.Fatalf("list: %+v, %v", list, err)
	}
	wantDocument(t, s, list[0])
}

// testDocumentBound keeps what fits to the last byte and refuses what does not.
func testDocumentBound(t *testing.T, open Open) {
	s := open(t)
	longest := strings.Repeat("k", store.MaxDocumentName)
	full := putDocument(t, s, longest, longest, 0, strings.Repeat("d", store.MaxDocument))
	wantDocument(t, s, full)
	for name, d := range map[string]store.Document{
		"data":      {Kind: "k", Key: "a", Data: make([]byte, store.MaxDocument+1)},
		"no kind":   {Key: "a"},
		"no key":    {Kind: "k"},
		"long kind": {Kind: longest + "k", Key: "a"},
		"long key":  {Kind: "k", Key: longest + "k"},
		"zero byte": {Kind: "k", Key: "a\x00b"},
		"not UTF-8": {Kind: "k", Key: "a\xff"},
		"replaced":  {Kind: full.Kind, Key: full.Key, Version: full.Version, Data: make([]byte, store.MaxDocument+1)},
	} {
		if _, err := s.PutDocument(t.Context(), d); !errors.Is(err, store.ErrUnfit) {
			t.Errorf("%s: got %v, want ErrUnfit", name, err)
		}
	}
	if list, err := s.Documents(t.Context(), "k", "", "", 0); err != nil || len(list) != 0 {
		t.Errorf("refused, and kept: %+v, %v", list, err)
	}
	wantDocument(t, s, full)
}

func testDocumentReopened(t *testing.T, open Open) {
	s := open(t)
	kept := putDocument(t, s, "k", "a", 0, "kept")
	gone := putDocument(t, s, "k", "b", 0, "gone")
	if err := errors.Join(s.DeleteDocument(t.Context(), "k", "b", gone.Version), s.Close()); err != nil {
		t.Fatal(err)
	}
	again := open(t)
	wantDocument(t, again, kept)
	if d := putDocument(t, again, "k", "b", 0, "new"); d.Version <= gone.Version {
		t.Errorf("version %d came back as %d", gone.Version, d.Version)
	}
	wantStale(t, again, "k", "b", gone.Version)
}
