package objecttest

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
)

func testEach(t *testing.T, f Form) {
	o := f.Open(t)
	before := time.Now().Add(-time.Minute)
	want := map[string]int64{put(t, o, hello): 5, put(t, o, ""): 0, put(t, o, "other"): 5}
	put(t, o, hello)
	err := f.Open(t).Each(t.Context(), func(e object.Entry) error {
		if size, ok := want[e.Digest]; !ok || size != e.Size || e.At.Before(before) || e.At.After(time.Now().Add(time.Minute)) {
			t.Errorf("there is %+v", e)
		}
		delete(want, e.Digest)
		return nil
	})
	if err != nil || len(want) > 0 {
		t.Errorf("not listed: %v, %v", want, err)
	}
}

func testEachStopped(t *testing.T, f Form) {
	o, enough := f.Open(t), errors.New("enough")
	put(t, o, hello)
	put(t, o, "other")
	calls := 0
	if err := o.Each(t.Context(), func(object.Entry) error { calls++; return enough }); !errors.Is(err, enough) || calls != 1 {
		t.Errorf("stopped by who is called: %d calls, %v", calls, err)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := o.Each(over, func(object.Entry) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits: %v", err)
	}
}

func testDiscard(t *testing.T, f Form) {
	o := f.Open(t)
	old, fresh, again := put(t, o, "old"), put(t, o, "fresh"), put(t, o, "again")
	f.Age(t, old, long)
	f.Age(t, again, long)
	put(t, f.Open(t), "again")
	for _, c := range []struct {
		what, digest string
		before       time.Time
		gone         bool
	}{
		{"put since", old, time.Now().Add(-2 * long), false},
		{"old", old, time.Now(), true},
		{"gone already", old, time.Now(), true},
		{"young", fresh, time.Now().Add(time.Hour), false},
		{"put again", again, time.Now().Add(time.Hour), false},
	} {
		if gone, err := o.Discard(t.Context(), c.digest, c.before); err != nil || gone != c.gone {
			t.Errorf("%s: %t, %v", c.what, gone, err)
		}
	}
	if _, err := o.Open(t.Context(), old); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("it is there: %v", err)
	}
	if got := list(t, o); len(got) != 2 {
		t.Errorf("there are %v", got)
	}
}

func testDiscardWhileRead(t *testing.T, f Form) {
	o, content := f.Open(t), large(0)
	digest := put(t, o, content)
	f.Age(t, digest, long)
	r, err := o.Open(t.Context(), digest)
	if err != nil {
		t.Fatal(err)
	}
	begin := make([]byte, 5)
	if _, err := io.ReadFull(r, begin); err != nil {
		t.Fatal(err)
	}
	if gone, err := f.Open(t).Discard(t.Context(), digest, time.Now()); err != nil || !gone {
		t.Fatalf("%t, %v", gone, err)
	}
	rest, err := io.ReadAll(r)
	if err = errors.Join(err, r.Close()); err != nil || string(begin)+string(rest) != content {
		t.Errorf("read on: %d bytes, %v", len(rest), err)
	}
}

func testTouch(t *testing.T, f Form) {
	o := f.Open(t)
	digest := put(t, o, hello)
	f.Age(t, digest, long)
	if there, err := f.Open(t).Touch(t.Context(), digest); err != nil || !there {
		t.Errorf("there: %t, %v", there, err)
	}
	if gone, err := o.Discard(t.Context(), digest, time.Now()); err != nil || gone {
		t.Errorf("discarded all the same: %t, %v", gone, err)
	}
	if there, err := o.Touch(t.Context(), strings.Repeat("a", 64)); err != nil || there {
		t.Errorf("not there: %t, %v", there, err)
	}
}

// engines are several on the same objects.
func engines(t *testing.T, f Form) []object.Objects {
	return []object.Objects{f.Open(t), f.Open(t), f.Open(t)}
}

func testPutAtOnce(t *testing.T, f Form) {
	all := engines(t, f)
	var work sync.WaitGroup
	for i := range 24 {
		work.Go(func() {
			o := all[i%len(all)]
			digest, _, err := o.Put(t.Context(), strings.NewReader(strings.Repeat(strconv.Itoa(i/6), 100_000)), 0)
			if err == nil {
				err = o.Verify(t.Context(), digest)
			}
			if err != nil {
				t.Errorf("put %d: %v", i, err)
			}
		})
	}
	work.Wait()
	if got := list(t, all[0]); len(got) != 4 {
		t.Errorf("%d objects, want 4", len(got))
	}
}

// testPutAndDiscard: what a Put has returned is there, however an engine discards what was old.
func testPutAndDiscard(t *testing.T, f Form) {
	againstDiscard(t, f, func(o object.Objects) error {
		_, _, err := o.Put(t.Context(), strings.NewReader(hello), 0)
		return err
	})
}

// testTouchAndDiscard: what a Touch has found stays; if it found nothing, it said so.
func testTouchAndDiscard(t *testing.T, f Form) {
	againstDiscard(t, f, func(o object.Objects) error {
		there, err := o.Touch(t.Context(), helloDigest)
		if err == nil && !there {
			_, _, err = o.Put(t.Context(), strings.NewReader(hello), 0)
		}
		return err
	})
}

// testRepairAtOnce: several engines meet a damaged object.
func testRepairAtOnce(t *testing.T, f Form) {
	all, content := engines(t, f), large(1)
	digest := put(t, all[0], content)
	f.Damage(t, digest)
	var work sync.WaitGroup
	for _, o := range all {
		work.Go(func() {
			if _, _, err := o.Put(t.Context(), strings.NewReader(content), 0); err != nil {
				t.Errorf("put: %v", err)
			}
			if err := o.Verify(t.Context(), digest); err != nil {
				t.Errorf("put again: %v", err)
			}
		})
	}
	work.Wait()
}

func againstDiscard(t *testing.T, f Form, hold func(object.Objects) error) {
	t.Helper()
	all := engines(t, f)
	for round := range 100 {
		put(t, all[0], hello)
		f.Age(t, helloDigest, long)
		var work sync.WaitGroup
		for i, o := range all {
			work.Go(func() {
				if i == 0 {
					if _, err := o.Discard(t.Context(), helloDigest, time.Now()); err != nil {
						t.Errorf("discard: %v", err)
					}
					return
				}
				if err := hold(o); err != nil {
					t.Errorf("hold: %v", err)
				}
				if err := o.Verify(t.Context(), helloDigest); err != nil {
					t.Errorf("round %d: it was held, and is gone: %v", round, err)
				}
			})
		}
		work.Wait()
	}
}
