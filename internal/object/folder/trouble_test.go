package folder

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stellwerk-dev/stellwerk/internal/core"
	"github.com/stellwerk-dev/stellwerk/internal/object"
	"github.com/stellwerk-dev/stellwerk/internal/wording"
)

func TestTroubleIsExplained(t *testing.T) {
	for _, c := range []struct {
		err  error
		code core.Code
		says string
		hint string
	}{
		{syscall.ENOSPC, core.CodeUnavailable, "object x: the disk is full", "free some space"},
		{syscall.EDQUOT, core.CodeUnavailable, "object x: the disk is full", "free some space"},
		{fs.ErrNotExist, core.CodeNotFound, "object x is missing", "from a backup"},
		{syscall.EACCES, core.CodeUnavailable, "object x cannot be written or read", "--state"},
		{syscall.EROFS, core.CodeUnavailable, "object x cannot be written or read", "--state"},
		{syscall.ENOTDIR, core.CodeUnavailable, "object x cannot be written or read", "--state"},
		{errDisk, core.CodeInternal, "object x: ", ""},
	} {
		err := explain(fmt.Errorf("open: %w", c.err), "object x")
		if !errors.Is(err, c.err) || core.CodeOf(err) != c.code || !strings.HasPrefix(err.Error(), c.says) || !strings.Contains(wording.Hint(err), c.hint) || (wording.Hint(err) == "") != (c.hint == "") {
			t.Errorf("%v is told as %q (%s, hint %q)", c.err, err, core.CodeOf(err), wording.Hint(err))
		}
	}
	if err := explain(nil, "object x"); err != nil {
		t.Errorf("no trouble is told as %v", err)
	}
	if err := (&object.TooLarge{Max: 7}).Error(); !strings.Contains(err, "7 bytes") {
		t.Errorf("too large: %s", err)
	}
}

// TestADiskSaysWhatItCannotDo: whoever asks decides what that means.
func TestADiskSaysWhatItCannotDo(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none", "deeper")
	closed, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	if err != nil {
		t.Fatal(err)
	}
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	d := realDisk{}
	_, create := d.createTemp(none)
	for what, err := range map[string]error{
		"create": create, "sync a file": d.syncFile(closed), "make a folder": d.mkdir(none), "rename": d.rename(none, none+"2"),
		"remove": d.remove(none), "touch": d.touch(none), "sync a folder": d.syncFolder(none),
	} {
		if err == nil {
			t.Errorf("%s: nothing is said", what)
		}
	}
	if _, err := open(filepath.Join(t.TempDir(), "blobs"), &failing{left: 1}); !errors.Is(err, errDisk) {
		t.Errorf("a folder whose name is not on disk is opened: %v", err)
	}
}

// TestWhatCannotBeLookedAtIsNeitherThereNorGone: a file stands where a shard should be.
func TestWhatCannotBeLookedAtIsNeitherThereNorGone(t *testing.T) {
	f := openTemp(t)
	digest := strings.Repeat("a", 64)
	if err := os.WriteFile(filepath.Join(f.path, "aa"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for what, ask := range map[string]func() (bool, error){
		"verify":  func() (bool, error) { return false, f.Verify(t.Context(), digest) },
		"touch":   func() (bool, error) { return f.Touch(t.Context(), digest) },
		"discard": func() (bool, error) { return f.Discard(t.Context(), digest, time.Now()) },
		"put": func() (bool, error) {
			_, err := f.place(t.Context(), filepath.Join(f.path, "tmp"), digest)
			return false, err
		},
	} {
		if yes, err := ask(); core.CodeOf(explain(err, "object")) != core.CodeUnavailable || yes {
			t.Errorf("%s: %t, %v", what, yes, err)
		}
	}
}

// TestABlobThatCannotBeRemovedIsNotGone: who discards it is told so, and does not count it.
func TestABlobThatCannotBeRemovedIsNotGone(t *testing.T) {
	f := openTemp(t)
	digest := put(t, f, "hello")
	path := f.at(digest)
	long := time.Now().Add(-10 * object.Young)
	if err := os.Chtimes(path, long, long); err != nil {
		t.Fatal(err)
	}
	f.disk = sticky{}
	if gone, err := f.Discard(t.Context(), digest, time.Now()); !errors.Is(err, errDisk) || gone {
		t.Errorf("%t, %v", gone, err)
	}
}

// sticky is a disk that keeps what it has.
type sticky struct{ realDisk }

func (sticky) remove(string) error { return errDisk }

// lastWord yields hello, and nobody waits for it any more by then.
type lastWord struct{ cancel func() }

func (w lastWord) Read(b []byte) (int, error) {
	w.cancel()
	return copy(b, "hello"), io.EOF
}

// TestNothingIsPutForWhoNoLongerWaits: neither is a blob that is there taken for a damaged one then.
func TestNothingIsPutForWhoNoLongerWaits(t *testing.T) {
	for _, there := range []bool{false, true} {
		f := openTemp(t)
		var before []string
		if there {
			put(t, f, "hello")
			before = files(t, f)
		}
		ctx, cancel := context.WithCancel(t.Context())
		if digest, _, err := f.Put(ctx, lastWord{cancel}, 0); !errors.Is(err, context.Canceled) || digest != "" {
			t.Errorf("there before %t: %q, %v", there, digest, err)
		}
		if after := files(t, f); strings.Join(after, " ") != strings.Join(before, " ") {
			t.Errorf("there before %t: there are %v now", there, after)
		}
	}
}

func TestVerifySaysWhatItCouldNotRead(t *testing.T) {
	f := openTemp(t)
	digest := put(t, f, "hello")
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.Verify(over, digest); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits: %v", err)
	}
	if err := f.Verify(t.Context(), strings.Repeat("a", 64)); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a missing one: %v", err)
	}
	if err := f.Verify(t.Context(), "../../etc/passwd"); core.CodeOf(err) != core.CodeInvalid {
		t.Errorf("no digest: %v", err)
	}
	if file, err := f.Open(t.Context(), "../../etc/passwd"); core.CodeOf(err) != core.CodeInvalid || file != nil {
		t.Errorf("no digest is opened: %v", err)
	}
}

// TestAShardIsMadeDurableOnce: a sync costs more than all else.
func TestAShardIsMadeDurableOnce(t *testing.T) {
	d := newForgetful()
	f, err := open(filepath.Join(t.TempDir(), "blobs"), d)
	if err != nil {
		t.Fatal(err)
	}
	put(t, f, "hello")
	d.log = nil
	put(t, f, "hello")
	if got := strings.Join(d.log, ", "); got != "sync file, sync folder 2c" {
		t.Errorf("the second time: %s", got)
	}
}

// TestAListThatCannotBeMadeIsNotAShortOne.
func TestAListThatCannotBeMadeIsNotAShortOne(t *testing.T) {
	f := openTemp(t)
	path := f.at(put(t, f, "hello"))
	if err := os.Symlink(path, filepath.Join(filepath.Dir(path), strings.Repeat("a", 62))); err != nil {
		t.Fatal(err)
	}
	var seen []string
	list := func(e object.Entry) error { seen = append(seen, e.Digest); return nil }
	if err := f.Each(t.Context(), list); err != nil || strings.Join(seen, " ") != helloDigest {
		t.Errorf("beside a link there are %v, %v", seen, err)
	}
	if err := os.RemoveAll(f.path); err != nil {
		t.Fatal(err)
	}
	if err := f.Each(t.Context(), list); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a folder that is gone is listed: %v", err)
	}
}
