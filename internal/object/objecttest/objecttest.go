// Package objecttest is the suite that every form of objects must pass. It speaks only to the contract object.Objects: no
// form's files or SQL. Where it opens the same objects twice, it stands for two engines.
package objecttest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
)

// Form is what the suite needs of one form.
type Form struct {
	// Open opens the objects that belong to t, none at the first call. Another call with the same t opens the same objects
	// once more, as another engine would.
	Open func(t *testing.T) object.Objects
	// Age makes an object look as if it was put and touched last that long ago.
	Age func(t *testing.T, digest string, by time.Duration)
	// Damage changes the bytes that are kept under a digest.
	Damage func(t *testing.T, digest string)
}

// Run runs the suite.
func Run(t *testing.T, form func(t *testing.T) Form) {
	t.Helper()
	for _, c := range []struct {
		name string
		test func(*testing.T, Form)
	}{
		{"put", testPut},
		{"sizes", testSizes},
		{"seek", testSeek},
		{"limit", testLimit},
		{"broken reader", testBroken},
		{"digests", testDigests},
		{"damaged", testDamaged},
		{"damaged for a reader", testChecked},
		{"each", testEach},
		{"each/stopped", testEachStopped},
		{"discard", testDiscard},
		{"discard/while it is read", testDiscardWhileRead},
		{"touch", testTouch},
		{"engines/put at once", testPutAtOnce},
		{"engines/repair at once", testRepairAtOnce},
		{"engines/put and discard", testPutAndDiscard},
		{"engines/touch and discard", testTouchAndDiscard},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, form(t))
		})
	}
}

const (
	hello       = "hello"
	helloDigest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // SHA-256 of hello
	long        = 10 * object.Young
)

func put(t *testing.T, o object.Objects, content string) string {
	t.Helper()
	digest, size, err := o.Put(t.Context(), strings.NewReader(content), 0)
	if err != nil || size != int64(len(content)) {
		t.Fatalf("put %d bytes: %d, %v", len(content), size, err)
	}
	return digest
}

func read(t *testing.T, o object.Objects, digest string) string {
	t.Helper()
	r, err := o.Open(t.Context(), digest)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func list(t *testing.T, o object.Objects) map[string]int64 {
	t.Helper()
	all := map[string]int64{}
	if err := o.Each(t.Context(), func(e object.Entry) error { all[e.Digest] = e.Size; return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

func testPut(t *testing.T, f Form) {
	o, other := f.Open(t), f.Open(t)
	if _, err := o.Open(t.Context(), helloDigest); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("opened before it is put: %v", err)
	}
	if _, err := o.Size(t.Context(), helloDigest); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("measured before it is put: %v", err)
	}
	if err := o.Verify(t.Context(), helloDigest); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("verified before it is put: %v", err)
	}
	for _, engine := range []object.Objects{o, other, o} {
		if got := put(t, engine, hello); got != helloDigest {
			t.Errorf("its digest is %s", got)
		}
	}
	if got := read(t, other, helloDigest); got != hello {
		t.Errorf("another engine reads %q", got)
	}
	if size, err := other.Size(t.Context(), helloDigest); err != nil || size != 5 {
		t.Errorf("its size is %d, %v", size, err)
	}
	r, err := o.Open(t.Context(), helloDigest)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // only read from
	if _, err := r.Seek(3, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "lo" {
		t.Errorf("from byte 3 on it is %q, %v", rest, err)
	}
	if empty := put(t, o, ""); read(t, o, empty) != "" {
		t.Error("the empty object is not empty")
	}
	big := strings.Repeat("0123456789abcdef", 1<<18) // more than any one message or row
	if digest := put(t, o, big); read(t, other, digest) != big || o.Verify(t.Context(), digest) != nil {
		t.Error("four megabytes come back as something else")
	}
}

const piece = 1 << 20 // a form may keep bytes in pieces of this size

// large is content of some pieces and so many bytes more. No two pieces are alike.
func large(more int) string {
	var b strings.Builder
	for i := 0; b.Len() < 3*piece+more; i++ {
		fmt.Fprintf(&b, "%015d\n", i)
	}
	return b.String()[:3*piece+more]
}

// testSizes: a piece more or less is neither lost nor added.
func testSizes(t *testing.T, f Form) {
	o, content := f.Open(t), large(1)
	for _, size := range []int{1, piece - 1, piece, piece + 1, 2 * piece, len(content)} {
		digest := put(t, o, content[:size])
		got, err := o.Size(t.Context(), digest)
		if err != nil || got != int64(size) || read(t, o, digest) != content[:size] {
			t.Errorf("%d bytes come back as something else: %d, %v", size, got, err)
		}
		if put(t, o, content[:size]); o.Verify(t.Context(), digest) != nil {
			t.Errorf("%d bytes, put again, are damaged", size)
		}
	}
}

func testSeek(t *testing.T, f Form) {
	o, content := f.Open(t), large(7)
	r, err := o.Open(t.Context(), put(t, o, content))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }() // only read from
	for _, to := range []struct {
		offset int64
		whence int
		at     int64
	}{
		{2*piece - 10, io.SeekStart, 2*piece - 10},
		{-30, io.SeekCurrent, 2*piece - 20}, // 20 bytes were read
		{0, io.SeekStart, 0},
		{-20, io.SeekEnd, int64(len(content)) - 20},
		{piece - 20, io.SeekStart, piece - 20},
		{3, io.SeekCurrent, piece + 3},
	} {
		at, err := r.Seek(to.offset, to.whence)
		if err != nil || at != to.at {
			t.Fatalf("seek %+v: %d, %v", to, at, err)
		}
		got := make([]byte, 20)
		if _, err := io.ReadFull(r, got); err != nil || string(got) != content[at:at+20] {
			t.Errorf("at %d: %q, %v", at, got, err)
		}
	}
	if _, err := r.Seek(0, io.SeekEnd); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(make([]byte, 1)); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %d, %v", n, err)
	}
	if _, err := r.Seek(-1, io.SeekStart); err == nil {
		t.Error("there is something before the beginning")
	}
}

func testLimit(t *testing.T, f Form) {
	o := f.Open(t)
	if _, size, err := o.Put(t.Context(), strings.NewReader(hello), 5); err != nil || size != 5 {
		t.Errorf("at the limit: %d, %v", size, err)
	}
	_, _, err := o.Put(t.Context(), iotest.OneByteReader(endless('x')), 4096)
	var large *object.TooLarge
	if !errors.As(err, &large) || large.Max != 4096 {
		t.Errorf("past the limit: %v", err)
	}
	if got := list(t, o); len(got) != 1 {
		t.Errorf("there are %v", got)
	}
}

type endless byte

func (c endless) Read(b []byte) (int, error) {
	return copy(b, bytes.Repeat([]byte{byte(c)}, len(b))), nil
}

func testBroken(t *testing.T, f Form) {
	o, broken := f.Open(t), errors.New("broken")
	if _, _, err := o.Put(t.Context(), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)), 0); !errors.Is(err, broken) {
		t.Errorf("a reader that breaks: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := o.Put(ctx, endless('x'), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	put(t, o, hello)
	if err := o.Verify(ctx, helloDigest); !errors.Is(err, context.Canceled) {
		t.Errorf("verified for nobody: %v", err)
	}
	if got := list(t, o); len(got) != 1 {
		t.Errorf("there are %v", got)
	}
}

func testDigests(t *testing.T, f Form) {
	o := f.Open(t)
	put(t, o, hello)
	for _, bad := range []string{"", "ab", "../../etc/passwd", strings.ToUpper(helloDigest), helloDigest + "00", strings.Repeat("g", 64)} {
		for what, ask := range map[string]func() error{
			"open":    func() error { _, err := o.Open(t.Context(), bad); return err },
			"size":    func() error { _, err := o.Size(t.Context(), bad); return err },
			"verify":  func() error { return o.Verify(t.Context(), bad) },
			"discard": func() error { _, err := o.Discard(t.Context(), bad, time.Now()); return err },
			"touch":   func() error { _, err := o.Touch(t.Context(), bad); return err },
		} {
			if err := ask(); core.CodeOf(err) != core.CodeInvalid {
				t.Errorf("%s %q: %v", what, bad, err)
			}
		}
	}
}

func testDamaged(t *testing.T, f Form) {
	o := f.Open(t)
	put(t, o, hello)
	if err := o.Verify(t.Context(), helloDigest); err != nil {
		t.Errorf("whole: %v", err)
	}
	f.Damage(t, helloDigest)
	if err := o.Verify(t.Context(), helloDigest); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("damaged: %v", err)
	}
	put(t, o, hello)
	if err := o.Verify(t.Context(), helloDigest); err != nil || read(t, o, helloDigest) != hello {
		t.Errorf("put again: %v", err)
	}
	digest := put(t, o, large(0))
	f.Damage(t, digest)
	if err := o.Verify(t.Context(), digest); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("damaged, large: %v", err)
	}
	put(t, o, large(0))
	if err := o.Verify(t.Context(), digest); err != nil {
		t.Errorf("put again, large: %v", err)
	}
}

func testChecked(t *testing.T, f Form) {
	o := f.Open(t)
	put(t, o, hello)
	through := func() (string, error) {
		r, err := o.Open(t.Context(), helloDigest)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = r.Close() }() // only read from
		data, err := io.ReadAll(object.Checked(helloDigest, r))
		return string(data), err
	}
	if got, err := through(); err != nil || got != hello {
		t.Errorf("whole: %q, %v", got, err)
	}
	f.Damage(t, helloDigest)
	if got, err := through(); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("damaged: %q, %v", got, err)
	}
}
